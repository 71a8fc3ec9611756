# What only the program knows, counted from its log. Each line begins with the event's name (shared/entracte/runtime).
locals {
  ours = "resource.type=\"cloud_run_revision\" resource.labels.service_name=(${join(" OR ", formatlist("\"%s\"", sort(var.services)))})"

  events = {
    run_ended   = "How runs ended, by status."
    run_stalled = "Frames that nothing moved any more; they wait for `entracte resume`."
  }
}

resource "google_logging_metric" "event" {
  for_each = local.events

  project     = var.project_id
  name        = "${var.prefix}-${each.key}"
  description = each.value
  filter      = "${local.ours} jsonPayload.message=~\"^${each.key} \""

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"

    dynamic "labels" {
      for_each = each.key == "run_ended" ? ["status"] : []

      content {
        key         = labels.value
        description = "succeeded, failed, cancelled, …"
      }
    }
  }

  label_extractors = each.key == "run_ended" ? {
    status = "REGEXP_EXTRACT(jsonPayload.message, \"status=([a-z]+)\")"
  } : null
}

# Sweep tells it with each round.
resource "google_logging_metric" "gates_waiting" {
  project         = var.project_id
  name            = "${var.prefix}-gates_waiting"
  description     = "Seconds for which the oldest open gate has waited."
  filter          = "${local.ours} jsonPayload.message=~\"^gates_waiting \""
  value_extractor = "REGEXP_EXTRACT(jsonPayload.message, \"oldest_s=([0-9]+)\")"

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "DISTRIBUTION"
    unit        = "s"
  }

  bucket_options {
    exponential_buckets {
      growth_factor      = 2
      num_finite_buckets = 26 # up to two years
      scale              = 1
    }
  }
}

# A policy on a metric that Monitoring has not heard of yet is refused.
resource "terraform_data" "metrics_known" {
  triggers_replace = [for it in concat(values(google_logging_metric.event), [google_logging_metric.gates_waiting]) : it.name]

  provisioner "local-exec" {
    command = "sleep 20"
  }
}
