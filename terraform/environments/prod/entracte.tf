module "entracte" {
  source = "../../modules/entracte"

  prefix = "entracte"

  api_invokers          = var.api_invokers
  budget                = var.budget
  bundles               = var.bundles
  firestore_location    = var.firestore_location
  notification_channels = var.notification_channels
  project_id            = var.project_id
  region                = var.region
  runbook_url           = var.runbook_url
  secrets               = var.secrets
  settings              = var.settings
  sign_in               = var.sign_in
  vertex_location       = var.vertex_location
}
