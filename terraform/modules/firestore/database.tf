resource "google_firestore_database" "this" {
  project     = var.project_id
  name        = var.name
  location_id = var.location
  type        = "FIRESTORE_NATIVE"

  # Every write states what it expects to find, so that nobody ever waits for somebody else's lock.
  concurrency_mode                  = "OPTIMISTIC"
  point_in_time_recovery_enablement = "POINT_IN_TIME_RECOVERY_ENABLED"
  delete_protection_state           = var.deletion_protection ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
  deletion_policy                   = "DELETE" # so that a protected one stops `terraform destroy`, loudly

  dynamic "cmek_config" {
    for_each = var.kms_key[*]

    content {
      kms_key_name = cmek_config.value
    }
  }
}
