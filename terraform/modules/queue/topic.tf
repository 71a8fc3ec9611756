resource "google_pubsub_topic" "this" {
  project      = var.project_id
  name         = var.name
  kms_key_name = var.kms_key
  labels       = var.labels

  message_storage_policy {
    allowed_persistence_regions = var.regions
    enforce_in_transit          = true
  }
}

resource "google_pubsub_topic_iam_member" "publisher" {
  for_each = var.publishers

  project = var.project_id
  topic   = google_pubsub_topic.this.name
  role    = "roles/pubsub.publisher"
  member  = each.value
}
