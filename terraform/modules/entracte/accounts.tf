# What a function runs as. What it may do is given beside what it is given for.
resource "google_service_account" "function" {
  for_each = local.functions

  project      = var.project_id
  account_id   = each.value.service
  display_name = "${var.prefix}: ${each.key}"
  description  = each.value.description

  depends_on = [google_project_service.this]
}

# In whose name Pub/Sub calls the phases.
resource "google_service_account" "push" {
  project      = var.project_id
  account_id   = "${var.prefix}-push"
  display_name = "${var.prefix}: push subscriptions"

  depends_on = [google_project_service.this]
}

# In whose name Eventarc calls gate_edit.
resource "google_service_account" "trigger" {
  project      = var.project_id
  account_id   = "${var.prefix}-trigger"
  display_name = "${var.prefix}: Firestore trigger"

  depends_on = [google_project_service.this]
}

# Whoever is to run code must first get it past this one.
resource "google_service_account" "build" {
  project      = var.project_id
  account_id   = "${var.prefix}-build"
  display_name = "${var.prefix}: builds"

  depends_on = [google_project_service.this]
}

# For tool code. Its functions run as accounts that can read and write every run; what a tool may do in Google Cloud is
# granted to this account, in one place for all functions that run them. Tools act as it through
# entracte.toolbox.google_credentials (ENTRACTE_TOOLS_ACCOUNT). It keeps honest code to its rights; code that wants the
# function's own can have them, since it runs in the same process.
resource "google_service_account" "tools" {
  project      = var.project_id
  account_id   = "${var.prefix}-tools"
  display_name = "${var.prefix}: tools"

  depends_on = [google_project_service.this]
}

resource "google_service_account_iam_member" "acts_as_tools" {
  for_each = local.runs_tools

  service_account_id = google_service_account.tools.name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = google_service_account.function[each.key].member
}

# Pub/Sub signs in as these to call functions, Eventarc's messages among them.
resource "google_service_account_iam_member" "pubsub_signs_in" {
  for_each = {
    push    = google_service_account.push.name
    trigger = google_service_account.trigger.name
  }

  service_account_id = each.value
  role               = "roles/iam.serviceAccountOpenIdTokenCreator"
  member             = local.pubsub_agent
}

resource "google_project_iam_member" "event_receiver" {
  project = var.project_id
  role    = "roles/eventarc.eventReceiver"
  member  = google_service_account.trigger.member
}

# Asking a model is one permission; roles/aiplatform.user has some two hundred.
resource "google_project_iam_custom_role" "asks_model" {
  project     = var.project_id
  role_id     = "${replace(var.prefix, "-", "_")}_asks_model"
  title       = "${var.prefix}: asks models"
  permissions = ["aiplatform.endpoints.predict"]
}

resource "google_project_iam_member" "asks_model" {
  for_each = local.asks_model_or_embeds

  project = var.project_id
  role    = google_project_iam_custom_role.asks_model.name
  member  = google_service_account.function[each.key].member
}
