mock_provider "google" {}

variables {
  dead_letters       = { topic = "projects/demo-p/topics/entracte-dead" }
  endpoint           = "https://plan-0123.a.run.app"
  function_timeout_s = 540
  name               = "entracte-plan"
  project_id         = "demo-p"
  publishers         = { api = "serviceAccount:api@demo-p.iam.gserviceaccount.com" }
  pubsub_agent       = "serviceAccount:service-1@gcp-sa-pubsub.iam.gserviceaccount.com"
  push_account_email = "push@demo-p.iam.gserviceaccount.com"
  regions            = ["europe-west4"]
}

run "messages_are_pushed_with_a_token_for_just_that_function" {
  command = plan

  assert {
    condition     = google_pubsub_subscription.this.push_config[0].push_endpoint == var.endpoint
    error_message = "The endpoint is the function's."
  }
  assert {
    condition     = google_pubsub_subscription.this.push_config[0].oidc_token[0].audience == var.endpoint
    error_message = "The audience is explicit."
  }
  assert {
    condition     = google_pubsub_subscription.this.push_config[0].oidc_token[0].service_account_email == var.push_account_email
    error_message = "The token is the push account's."
  }
}

run "a_message_is_tried_for_long_and_never_while_it_is_worked_on" {
  command = plan

  assert {
    condition     = google_pubsub_subscription.this.ack_deadline_seconds == 600
    error_message = "The deadline is the longest that there is."
  }
  assert {
    condition = google_pubsub_subscription.this.retry_policy[0] == {
      minimum_backoff = "10s"
      maximum_backoff = "600s"
    }
    error_message = "Backoff 10 to 600 s."
  }
  assert {
    condition     = google_pubsub_subscription.this.expiration_policy[0].ttl == ""
    error_message = "An idle subscription does not expire."
  }
}

run "what_cannot_be_delivered_is_kept_and_pubsub_may_move_it" {
  command = plan

  assert {
    condition = google_pubsub_subscription.this.dead_letter_policy[0] == {
      dead_letter_topic     = var.dead_letters.topic
      max_delivery_attempts = 100
    }
    error_message = "After 100 attempts it goes to the dead letters."
  }
  assert {
    condition     = [for it in google_pubsub_subscription_iam_member.forwarder : "${it.role} ${it.member}"] == ["roles/pubsub.subscriber ${var.pubsub_agent}"]
    error_message = "Without this right Pub/Sub cannot move a dead letter, and says nothing."
  }
}

run "messages_stay_in_their_region_and_only_the_named_publish" {
  command = plan

  assert {
    condition = (
      google_pubsub_topic.this.message_storage_policy[0].allowed_persistence_regions == toset(["europe-west4"])
      && google_pubsub_topic.this.message_storage_policy[0].enforce_in_transit
    )
    error_message = "Storage is confined to the region."
  }
  assert {
    condition     = { for name, it in google_pubsub_topic_iam_member.publisher : name => "${it.role} ${it.member}" } == { api = "roles/pubsub.publisher ${var.publishers.api}" }
    error_message = "Publishers are those named."
  }
}

run "a_function_that_outlives_the_deadline_is_refused" {
  command = plan
  variables {
    function_timeout_s = 600
  }
  expect_failures = [google_pubsub_subscription.this]
}

run "a_queue_open_to_everybody_is_refused" {
  command = plan
  variables {
    publishers = { anybody = "allUsers" }
  }
  expect_failures = [var.publishers]
}

run "without_dead_letters_there_is_no_right_to_move_any" {
  command = plan
  variables {
    dead_letters = null
  }

  assert {
    condition = (
      length(google_pubsub_subscription.this.dead_letter_policy) == 0
      && length(google_pubsub_subscription_iam_member.forwarder) == 0
    )
    error_message = "The dead letters' own queue has neither."
  }
}
