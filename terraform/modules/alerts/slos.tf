resource "google_monitoring_custom_service" "this" {
  project      = var.project_id
  service_id   = var.prefix
  display_name = var.prefix
  user_labels  = var.labels
}

resource "google_monitoring_slo" "api_available" {
  project             = var.project_id
  service             = google_monitoring_custom_service.this.service_id
  slo_id              = "api-available"
  display_name        = "99.5 % of the API's requests are not answered 5xx"
  goal                = 0.995
  rolling_period_days = 28

  request_based_sli {
    good_total_ratio {
      total_service_filter = local.api_requests
      bad_service_filter   = "${local.api_requests} AND metric.labels.response_code_class = \"5xx\""
    }
  }
}

resource "google_monitoring_slo" "messages_timely" {
  project             = var.project_id
  service             = google_monitoring_custom_service.this.service_id
  slo_id              = "messages-timely"
  display_name        = "99 % of the time no message has waited for more than 10 minutes"
  goal                = 0.99
  rolling_period_days = 28

  windows_based_sli {
    window_period = "300s"

    metric_mean_in_range {
      time_series = "${local.subscriptions} AND metric.type = \"pubsub.googleapis.com/subscription/oldest_unacked_message_age\""

      range {
        max = 600
      }
    }
  }
}

locals {
  api_requests = "resource.type = \"cloud_run_revision\" AND resource.labels.service_name = \"${var.api_service}\" AND metric.type = \"run.googleapis.com/request_count\""
}

resource "google_monitoring_alert_policy" "api_burn" {
  project               = var.project_id
  display_name          = "${var.prefix}: The API's error budget burns"
  combiner              = "OR"
  severity              = "CRITICAL"
  notification_channels = var.notification_channels
  user_labels           = var.labels

  conditions {
    display_name = "Ten times as fast as it may, for an hour"

    condition_threshold {
      filter          = "select_slo_burn_rate(\"${google_monitoring_slo.api_available.name}\", \"3600s\")"
      comparison      = "COMPARISON_GT"
      threshold_value = 10
      duration        = "0s"
    }
  }

  documentation {
    content = "At this rate the month's budget is gone in three days."

    links {
      display_name = "Runbook"
      url          = local.runbook.api_burn
    }
  }
}
