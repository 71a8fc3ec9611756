# The bucket is given with `terraform init -backend-config=bucket=NAME`: it is versioned, closed to the public, and
# outside of what is managed here (terraform/README.md). The backend locks by itself.
terraform {
  backend "gcs" {
    prefix = "entracte/prod"
  }
}
