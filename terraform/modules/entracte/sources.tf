resource "google_storage_bucket" "sources" {
  project                     = var.project_id
  name                        = "${var.project_id}-${var.prefix}-sources"
  location                    = var.region
  labels                      = local.labels
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = true # made again by infra/bundle.py, byte for byte

  dynamic "encryption" {
    for_each = var.kms_keys.regional[*]

    content {
      default_kms_key_name = encryption.value
    }
  }

  depends_on = [google_project_service.this, terraform_data.keys_granted]
}

# Named by its hash: a function is deployed again exactly when its bytes change.
resource "google_storage_bucket_object" "source" {
  for_each = local.functions

  bucket = google_storage_bucket.sources.name
  name   = "${each.key}-${local.manifest.functions[each.key].sha256}.zip"
  source = "${var.bundles}/${local.manifest.functions[each.key].file}"
}

resource "google_artifact_registry_repository" "images" {
  project       = var.project_id
  location      = var.region
  repository_id = var.prefix
  description   = "Images of the functions of ${var.prefix}."
  format        = "DOCKER"
  kms_key_name  = var.kms_keys.regional
  labels        = local.labels

  # What runs is always among the newest.
  cleanup_policies {
    id     = "keep-the-newest"
    action = "KEEP"

    most_recent_versions {
      keep_count = 5
    }
  }
  cleanup_policies {
    id     = "delete-the-old"
    action = "DELETE"

    condition {
      older_than = "${30 * 24 * 3600}s"
    }
  }

  depends_on = [google_project_service.this, terraform_data.keys_granted]
}

resource "google_storage_bucket_iam_member" "build" {
  bucket = google_storage_bucket.sources.name
  role   = "roles/storage.objectViewer"
  member = google_service_account.build.member
}

resource "google_artifact_registry_repository_iam_member" "build" {
  project    = var.project_id
  location   = var.region
  repository = google_artifact_registry_repository.images.name
  role       = "roles/artifactregistry.writer"
  member     = google_service_account.build.member
}

resource "google_project_iam_member" "build" {
  for_each = {
    # Cloud Functions builds from a copy, in a bucket of its own.
    "roles/storage.objectViewer" = "resource.name.startsWith(\"projects/_/buckets/gcf-v2-sources-${data.google_project.this.number}-${var.region}\")"
    "roles/logging.logWriter"    = null
  }

  project = var.project_id
  role    = each.key
  member  = google_service_account.build.member

  dynamic "condition" {
    for_each = each.value[*]

    content {
      title       = "only_sources_of_functions"
      description = "Other buckets are out of reach."
      expression  = condition.value
    }
  }
}
