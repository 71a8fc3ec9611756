# Point-in-time recovery reaches back 7 days; these reach further, and survive the database.
resource "google_firestore_backup_schedule" "daily" {
  project   = var.project_id
  database  = google_firestore_database.this.name
  retention = "${7 * 24 * 3600}s"

  daily_recurrence {}
}

resource "google_firestore_backup_schedule" "weekly" {
  project   = var.project_id
  database  = google_firestore_database.this.name
  retention = "${14 * 7 * 24 * 3600}s" # the longest that there is

  weekly_recurrence {
    day = "SUNDAY"
  }
}
