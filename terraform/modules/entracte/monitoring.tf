module "alerts" {
  source = "../alerts"

  api_service           = google_cloud_run_v2_service.server["api"].name
  budget                = var.budget
  database              = module.firestore.name
  gate_waiting_h        = var.gate_waiting_h
  labels                = local.labels
  notification_channels = var.notification_channels
  prefix                = var.prefix
  project_id            = var.project_id
  project_number        = data.google_project.this.number
  runbook_url           = var.runbook_url
  services              = [for function in local.functions : function.service]
  subscriptions         = concat([for queue in local.queues : queue.service], ["${var.prefix}-dead"])

  depends_on = [google_project_service.this]
}
