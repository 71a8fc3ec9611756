# IAM knows no role on a single database, so that the role on the project is given for this one only.
resource "google_project_iam_member" "user" {
  for_each = var.users

  project = var.project_id
  role    = "roles/datastore.user"
  member  = each.value

  condition {
    title       = "only_${replace(var.name, "-", "_")}"
    description = "Other databases of the project are out of reach."
    expression  = "resource.name == \"projects/${var.project_id}/databases/${var.name}\""
  }
}
