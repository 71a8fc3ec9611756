locals {
  charts = [
    {
      title   = "Requests by function"
      filter  = "${local.services} AND metric.type = \"run.googleapis.com/request_count\""
      aligner = "ALIGN_RATE"
      reducer = "REDUCE_SUM"
      group   = ["resource.label.service_name"]
    },
    {
      title   = "Answers 5xx by function"
      filter  = "${local.services} AND metric.type = \"run.googleapis.com/request_count\" AND metric.labels.response_code_class = \"5xx\""
      aligner = "ALIGN_RATE"
      reducer = "REDUCE_SUM"
      group   = ["resource.label.service_name"]
    },
    {
      title   = "Duration of requests, 95th percentile"
      filter  = "${local.services} AND metric.type = \"run.googleapis.com/request_latencies\""
      aligner = "ALIGN_PERCENTILE_95"
      reducer = "REDUCE_MAX"
      group   = ["resource.label.service_name"]
    },
    {
      title   = "Instances"
      filter  = "${local.services} AND metric.type = \"run.googleapis.com/container/instance_count\""
      aligner = "ALIGN_MAX"
      reducer = "REDUCE_SUM"
      group   = ["resource.label.service_name"]
    },
    {
      title   = "Age of the oldest message"
      filter  = "${local.subscriptions} AND metric.type = \"pubsub.googleapis.com/subscription/oldest_unacked_message_age\""
      aligner = "ALIGN_MAX"
      reducer = "REDUCE_MAX"
      group   = ["resource.label.subscription_id"]
    },
    {
      title   = "Dead letters"
      filter  = "${local.subscriptions} AND metric.type = \"pubsub.googleapis.com/subscription/dead_letter_message_count\""
      aligner = "ALIGN_DELTA"
      reducer = "REDUCE_SUM"
      group   = ["resource.label.subscription_id"]
    },
    {
      title   = "Ended runs by status"
      filter  = "resource.type = \"cloud_run_revision\" AND metric.type = \"${local.user_metric}-run_ended\""
      aligner = "ALIGN_DELTA"
      reducer = "REDUCE_SUM"
      group   = ["metric.label.status"]
    },
    {
      title   = "Longest wait of an open gate, in seconds"
      filter  = "resource.type = \"cloud_run_revision\" AND metric.type = \"${local.user_metric}-gates_waiting\""
      aligner = "ALIGN_PERCENTILE_99"
      reducer = "REDUCE_MAX"
      group   = []
    },
    {
      title   = "Documents read"
      filter  = "resource.type = \"firestore.googleapis.com/Database\" AND resource.labels.database_id = \"${var.database}\" AND metric.type = \"firestore.googleapis.com/document/read_ops_count\""
      aligner = "ALIGN_RATE"
      reducer = "REDUCE_SUM"
      group   = []
    },
    {
      title   = "Documents written"
      filter  = "resource.type = \"firestore.googleapis.com/Database\" AND resource.labels.database_id = \"${var.database}\" AND metric.type = \"firestore.googleapis.com/document/write_ops_count\""
      aligner = "ALIGN_RATE"
      reducer = "REDUCE_SUM"
      group   = []
    },
  ]
}

resource "google_monitoring_dashboard" "this" {
  project = var.project_id

  dashboard_json = jsonencode({
    displayName = var.prefix
    mosaicLayout = {
      columns = 48
      tiles = [
        # The API leaves out zeros, so that writing them down would be a difference for ever.
        for position, chart in local.charts : merge(position % 2 == 0 ? {} : { xPos = 24 }, position < 2 ? {} : { yPos = floor(position / 2) * 16 }, {
          width                                                                     = 24
          height                                                                    = 16
          widget = {
            title = chart.title
            xyChart = {
              dataSets = [{
                plotType = "LINE"
                timeSeriesQuery = {
                  timeSeriesFilter = {
                    filter = chart.filter
                    aggregation = {
                      alignmentPeriod    = "60s"
                      perSeriesAligner   = chart.aligner
                      crossSeriesReducer = chart.reducer
                      groupByFields      = chart.group
                    }
                  }
                }
              }]
            }
          }
        })
      ]
    }
  })
}
