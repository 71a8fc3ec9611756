locals {
  services      = "resource.type = \"cloud_run_revision\" AND resource.labels.service_name = one_of(${join(", ", formatlist("\"%s\"", sort(var.services)))})"
  subscriptions = "resource.type = \"pubsub_subscription\" AND resource.labels.subscription_id = one_of(${join(", ", formatlist("\"%s\"", sort(var.subscriptions)))})"
  user_metric   = "logging.googleapis.com/user/${var.prefix}"

  # One condition each: the sum or the largest of all series is above the threshold. Names are anchors of the runbook.
  policies = {
    dead_letters = {
      title     = "Messages could not be delivered"
      meaning   = "A message failed 100 times. Sweep has looked at it; a frame that it could not move on is stalled."
      severity  = "ERROR"
      filter    = "${local.subscriptions} AND metric.type = \"pubsub.googleapis.com/subscription/dead_letter_message_count\""
      aligner   = "ALIGN_DELTA"
      reducer   = "REDUCE_SUM"
      window_s  = 300
      threshold = 0
    }
    stalled_runs = {
      title     = "Runs have stalled"
      meaning   = "Nothing moves them any more until a person does: see the journal's last entry, mend the cause, then `entracte resume RUN`."
      severity  = "ERROR"
      filter    = "resource.type = \"cloud_run_revision\" AND metric.type = \"${local.user_metric}-run_stalled\""
      aligner   = "ALIGN_DELTA"
      reducer   = "REDUCE_SUM"
      window_s  = 300
      threshold = 0
    }
    failed_runs = {
      title     = "Runs fail"
      meaning   = "More than five within an hour. `entracte list --status failed` names them, `entracte show RUN` says why."
      severity  = "WARNING"
      filter    = "resource.type = \"cloud_run_revision\" AND metric.type = \"${local.user_metric}-run_ended\" AND metric.labels.status = \"failed\""
      aligner   = "ALIGN_DELTA"
      reducer   = "REDUCE_SUM"
      window_s  = 3600
      threshold = 5
    }
    waiting_gates = {
      title     = "A gate has waited for more than ${var.gate_waiting_h} hours"
      meaning   = "Silence never approves, so that its run waits for ever: `entracte gates` lists who is asked."
      severity  = "WARNING"
      filter    = "resource.type = \"cloud_run_revision\" AND metric.type = \"${local.user_metric}-gates_waiting\""
      aligner   = "ALIGN_PERCENTILE_99"
      reducer   = "REDUCE_MAX"
      window_s  = 3600
      threshold = var.gate_waiting_h * 3600
    }
    late_messages = {
      title     = "Messages are not handled"
      meaning   = "The oldest has waited for an hour: functions fail, or all their instances are busy."
      severity  = "ERROR"
      filter    = "${local.subscriptions} AND metric.type = \"pubsub.googleapis.com/subscription/oldest_unacked_message_age\""
      aligner   = "ALIGN_MAX"
      reducer   = "REDUCE_MAX"
      window_s  = 300
      threshold = 3600
    }
  }

  runbook = { for name in concat(keys(local.policies), ["server_errors", "api_burn"]) : name => "${var.runbook_url}#${replace(name, "_", "-")}" }
}

resource "google_monitoring_alert_policy" "this" {
  for_each = local.policies

  project               = var.project_id
  display_name          = "${var.prefix}: ${each.value.title}"
  combiner              = "OR"
  severity              = each.value.severity
  notification_channels = var.notification_channels
  user_labels           = var.labels

  conditions {
    display_name = each.value.title

    condition_threshold {
      filter          = each.value.filter
      comparison      = "COMPARISON_GT"
      threshold_value = each.value.threshold
      duration        = "0s"

      aggregations {
        alignment_period     = "${each.value.window_s}s"
        per_series_aligner   = each.value.aligner
        cross_series_reducer = each.value.reducer
      }
    }
  }

  documentation {
    content = each.value.meaning

    links {
      display_name = "Runbook"
      url          = local.runbook[each.key]
    }
  }

  depends_on = [terraform_data.metrics_known]
}

# A share, not a count: a phase also answers 503 to have a message again a little later.
resource "google_monitoring_alert_policy" "server_errors" {
  project               = var.project_id
  display_name          = "${var.prefix}: Functions answer 5xx"
  combiner              = "OR"
  severity              = "ERROR"
  notification_channels = var.notification_channels
  user_labels           = var.labels

  conditions {
    display_name = "More than a fifth of a function's requests, for 10 minutes"

    condition_threshold {
      filter             = "${local.services} AND metric.type = \"run.googleapis.com/request_count\" AND metric.labels.response_code_class = \"5xx\""
      denominator_filter = "${local.services} AND metric.type = \"run.googleapis.com/request_count\""
      comparison         = "COMPARISON_GT"
      threshold_value    = 0.2
      duration           = "600s"

      aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_RATE"
        cross_series_reducer = "REDUCE_SUM"
        group_by_fields      = ["resource.label.service_name"]
      }
      denominator_aggregations {
        alignment_period     = "300s"
        per_series_aligner   = "ALIGN_RATE"
        cross_series_reducer = "REDUCE_SUM"
        group_by_fields      = ["resource.label.service_name"]
      }
    }
  }

  documentation {
    content = "The function's log says why: look for severity ERROR."

    links {
      display_name = "Runbook"
      url          = local.runbook.server_errors
    }
  }
}
