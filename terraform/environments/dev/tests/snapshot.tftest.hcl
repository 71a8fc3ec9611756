# The whole plan, held against tests/terraform/snapshots by infra/terraform_check.py.
mock_provider "google" {
  mock_data "google_project" {
    defaults = { number = "123" }
  }
}

mock_provider "google-beta" {}

variables {
  api_invokers          = ["group:agents@example.com"]
  budget                = { amount = 200, billing_account = "000000-000000-000000", currency = "EUR" }
  bundles               = "../../modules/entracte/tests/bundles"
  firestore_location    = "eur3"
  notification_channels = ["projects/demo-p/notificationChannels/1"]
  project_id            = "demo-p"
  region                = "europe-west4"
  runbook_url           = "https://example.com/operations"
  secrets               = { OPENAI_API_KEY = ["plan", "evaluate"] }
  vertex_location       = "europe-west4"
}

run "snapshot" {
  command = plan
}
