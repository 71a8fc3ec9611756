# For apps that listen directly with the Firebase SDK. Without a release, apps are refused altogether.
resource "google_firebaserules_ruleset" "this" {
  project = var.project_id

  source {
    files {
      name    = "firestore.rules"
      content = file("${path.module}/../../../infra/firestore/firestore.rules")
    }
  }

  lifecycle {
    create_before_destroy = true # the release must always have one
  }
}

resource "google_firebaserules_release" "this" {
  project      = var.project_id
  name         = "cloud.firestore/${google_firestore_database.this.name}"
  ruleset_name = "projects/${var.project_id}/rulesets/${google_firebaserules_ruleset.this.name}"

  lifecycle {
    replace_triggered_by = [google_firebaserules_ruleset.this]
  }
}
