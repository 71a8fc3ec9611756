# Who changed what, for people in the console as well. One per project: where several deployments share a project, one
# of them has it.
resource "google_project_iam_audit_config" "writes" {
  count = var.audit_logs ? 1 : 0

  project = var.project_id
  service = "firestore.googleapis.com"

  audit_log_config {
    log_type = "DATA_WRITE"
  }
}
