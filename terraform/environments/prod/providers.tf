provider "google" {
  project               = var.project_id
  region                = var.region
  billing_project       = var.project_id # budgets are asked of an API that wants to know who pays for the asking
  user_project_override = true
}

provider "google-beta" {
  project = var.project_id
  region  = var.region
}
