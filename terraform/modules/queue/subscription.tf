locals {
  # The longest that Pub/Sub knows, and also the time that a push may take. A function that takes longer is given the
  # message again while it still works on it.
  ack_deadline_s = 600
}

# Our own subscription, not Eventarc's: that one retries after 10 s whatever the function is at, keeps messages for a
# day only, and has no dead letters.
resource "google_pubsub_subscription" "this" {
  project                    = var.project_id
  name                       = var.name
  topic                      = google_pubsub_topic.this.id
  labels                     = var.labels
  ack_deadline_seconds       = local.ack_deadline_s
  message_retention_duration = "${var.retention_s}s"

  expiration_policy {
    ttl = "" # never: a deployment may be idle for months while its runs wait for people
  }

  push_config {
    push_endpoint = var.endpoint

    oidc_token {
      service_account_email = var.push_account_email
      audience              = var.endpoint
    }
  }

  retry_policy {
    minimum_backoff = "10s"
    maximum_backoff = "600s"
  }

  dynamic "dead_letter_policy" {
    for_each = var.dead_letters[*]

    content {
      dead_letter_topic     = dead_letter_policy.value.topic
      max_delivery_attempts = 100
    }
  }

  lifecycle {
    postcondition {
      condition     = self.ack_deadline_seconds > var.function_timeout_s && self.ack_deadline_seconds <= 600
      error_message = "The ack deadline of ${var.name} must be above the function's timeout, ${var.function_timeout_s} s, and at most 600 s."
    }
  }
}

# To move a message away, Pub/Sub acknowledges it in its own name. It also publishes to the dead letter topic: that right
# is given where that topic is made.
resource "google_pubsub_subscription_iam_member" "forwarder" {
  count = var.dead_letters == null ? 0 : 1

  project      = var.project_id
  subscription = google_pubsub_subscription.this.name
  role         = "roles/pubsub.subscriber"
  member       = var.pubsub_agent
}
