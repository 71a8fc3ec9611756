locals {
  pubsub_agent = google_project_service_identity.agent["pubsub.googleapis.com"].member
}

module "queue" {
  source   = "../queue"
  for_each = local.queues

  # A tick that was lost is made up for by the next one.
  dead_letters = each.key == "sweep" ? null : { topic = module.dead_letters.topic }
  retention_s  = each.key == "sweep" ? 600 : 604800

  endpoint           = module.phase[each.key].uri
  function_timeout_s = local.timeout_s
  kms_key            = var.kms_keys.regional
  labels             = local.labels
  name               = each.value.service
  project_id         = var.project_id
  pubsub_agent       = local.pubsub_agent
  push_account_email = google_service_account.push.email
  regions            = [var.region]

  publishers = {
    for name, function in local.functions :
    name => google_service_account.function[name].member if contains(function.publishes, each.key)
  }

  depends_on = [terraform_data.agents_known, terraform_data.keys_granted]
}

# What failed 100 times, from all queues. Pushed to sweep, which looks whether the message still matters, and parks its
# frame as stalled, visibly.
module "dead_letters" {
  source = "../queue"

  endpoint           = module.phase["sweep"].uri
  function_timeout_s = local.timeout_s
  kms_key            = var.kms_keys.regional
  labels             = local.labels
  name               = "${var.prefix}-dead"
  project_id         = var.project_id
  publishers         = { pubsub = local.pubsub_agent }
  pubsub_agent       = local.pubsub_agent
  push_account_email = google_service_account.push.email
  regions            = [var.region]
  retention_s        = 2678400 # the longest that there is

  depends_on = [terraform_data.agents_known, terraform_data.keys_granted]
}

resource "google_cloud_scheduler_job" "sweep" {
  project     = var.project_id
  region      = var.region
  name        = "${var.prefix}-sweep"
  description = "Has sweep look at what is due."
  schedule    = "* * * * *"
  time_zone   = "Etc/UTC"

  pubsub_target {
    topic_name = module.queue["sweep"].topic
    data       = base64encode(jsonencode({ schema_version = 1, kind = "sweep", run = "" }))
    attributes = { kind = "sweep" }
  }
}
