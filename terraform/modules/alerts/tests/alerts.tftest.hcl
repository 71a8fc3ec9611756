mock_provider "google" {}

variables {
  api_service           = "entracte-api"
  budget                = { amount = 200, billing_account = "000000-000000-000000", currency = "EUR" }
  database              = "entracte"
  notification_channels = ["projects/demo-p/notificationChannels/1"]
  prefix                = "entracte"
  project_id            = "demo-p"
  project_number        = "1"
  runbook_url           = "https://example.com/operations"
  services              = ["entracte-api", "entracte-plan"]
  subscriptions         = ["entracte-plan", "entracte-dead"]
}

run "every_alert_tells_somebody_and_says_what_to_do" {
  command = plan

  assert {
    condition     = toset(keys(google_monitoring_alert_policy.this)) == toset(["dead_letters", "stalled_runs", "failed_runs", "waiting_gates", "late_messages"])
    error_message = "Somebody is told of dead letters, stalled and failed runs, waiting gates and late messages."
  }
  assert {
    condition = alltrue([
      for it in concat(values(google_monitoring_alert_policy.this), [google_monitoring_alert_policy.server_errors, google_monitoring_alert_policy.api_burn]) :
      it.notification_channels == var.notification_channels
      && startswith(it.documentation[0].links[0].url, "https://example.com/operations#")
      && length(it.documentation[0].content) > 20
    ])
    error_message = "Each policy has its channels, its sense in words and its runbook."
  }
  assert {
    condition     = google_monitoring_alert_policy.this["waiting_gates"].conditions[0].condition_threshold[0].threshold_value == 72 * 3600
    error_message = "A gate may wait for 72 hours by default."
  }
}

run "only_this_deployment_is_watched" {
  command = plan

  assert {
    condition     = strcontains(google_monitoring_alert_policy.this["dead_letters"].conditions[0].condition_threshold[0].filter, "one_of(\"entracte-dead\", \"entracte-plan\")")
    error_message = "Subscriptions of other deployments in the project are not ours."
  }
  assert {
    condition     = strcontains(google_logging_metric.event["run_stalled"].filter, "(\"entracte-api\" OR \"entracte-plan\")")
    error_message = "Logs of other services are not ours."
  }
}

run "the_dashboard_has_two_columns_of_charts" {
  command = plan

  assert {
    condition     = length(jsondecode(google_monitoring_dashboard.this.dashboard_json).mosaicLayout.tiles) == 10
    error_message = "Ten charts."
  }
  assert {
    condition     = [for tile in jsondecode(google_monitoring_dashboard.this.dashboard_json).mosaicLayout.tiles : try(tile.xPos, 0)] == [0, 24, 0, 24, 0, 24, 0, 24, 0, 24]
    error_message = "Left and right in turn."
  }
}

run "a_budget_is_for_this_project_alone" {
  command = plan

  assert {
    condition     = google_billing_budget.this[0].budget_filter[0].projects == toset(["projects/1"])
    error_message = "Not the whole account."
  }
}

run "without_a_budget_there_is_none" {
  command = plan
  variables {
    budget = null
  }

  assert {
    condition     = length(google_billing_budget.this) == 0
    error_message = "It needs rights on the billing account."
  }
}
