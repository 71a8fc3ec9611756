output "location" {
  description = "Where the database lives, and with it the trigger."
  value       = google_firestore_database.this.location_id
}

output "name" {
  description = "Id of the database."
  value       = google_firestore_database.this.name
}

output "users" {
  description = "Who may read and write documents."
  value       = { for name, grant in google_project_iam_member.user : name => grant.member }
}
