terraform {
  required_version = ">= 1.11" # write-only attributes

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 8.7"
    }
    google-beta = { # makes service agents, and nothing else
      source  = "hashicorp/google-beta"
      version = "~> 8.7"
    }
  }
}
