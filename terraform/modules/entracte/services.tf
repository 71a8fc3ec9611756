locals {
  apis = toset(concat([
    "aiplatform.googleapis.com",
    "artifactregistry.googleapis.com",
    "cloudbuild.googleapis.com",
    "cloudfunctions.googleapis.com",
    "cloudscheduler.googleapis.com",
    "eventarc.googleapis.com",
    "firebaserules.googleapis.com",
    "firestore.googleapis.com",
    "iam.googleapis.com",
    "logging.googleapis.com",
    "monitoring.googleapis.com",
    "pubsub.googleapis.com",
    "run.googleapis.com",
    "secretmanager.googleapis.com",
    "storage.googleapis.com",
    ],
    var.api_exposure == "iap" ? ["iap.googleapis.com"] : [],
    var.budget == null ? [] : ["billingbudgets.googleapis.com"],
    var.network == null ? [] : ["compute.googleapis.com"],
    var.kms_keys.regional == null && var.kms_keys.firestore == null ? [] : ["cloudkms.googleapis.com"],
  ))

  # Google's own accounts in this project that are given something below.
  agents = toset(concat(
    ["cloudscheduler.googleapis.com", "eventarc.googleapis.com", "pubsub.googleapis.com"],
    var.api_exposure == "iap" ? ["iap.googleapis.com"] : [],
    var.kms_keys.regional == null ? [] : [
      "artifactregistry.googleapis.com",
      "cloudfunctions.googleapis.com",
      "run.googleapis.com",
      "secretmanager.googleapis.com",
    ],
    var.kms_keys.firestore == null ? [] : ["firestore.googleapis.com"],
  ))
}

data "google_project" "this" {
  project_id = var.project_id
}

resource "google_project_service" "this" {
  for_each = local.apis

  project            = var.project_id
  service            = each.value
  disable_on_destroy = false # others may use it
}

# An agent that does not exist yet cannot be given anything, and some are made with their first use only.
resource "google_project_service_identity" "agent" {
  for_each = local.agents
  provider = google-beta

  project = var.project_id
  service = each.value

  depends_on = [google_project_service.this]
}

# New agents, and what they are granted, are known everywhere after a while only: a first apply would fail at the
# trigger, and succeed when it is repeated.
resource "terraform_data" "agents_known" {
  triggers_replace = [for agent in google_project_service_identity.agent : agent.member]

  provisioner "local-exec" {
    command = "sleep 60"
  }
}
