module "firestore" {
  source = "../firestore"

  audit_logs          = var.audit_logs
  deletion_protection = var.deletion_protection
  kms_key             = var.kms_keys.firestore
  location            = var.firestore_location
  metadata_keys       = var.metadata_keys
  name                = coalesce(var.database, var.prefix)
  project_id          = var.project_id
  users               = { for name in local.uses_store : name => google_service_account.function[name].member }

  depends_on = [google_project_service.this, terraform_data.keys_granted]
}
