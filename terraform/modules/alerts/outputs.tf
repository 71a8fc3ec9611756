output "dashboard" {
  description = "Id of the dashboard, projects/P/dashboards/D."
  value       = google_monitoring_dashboard.this.id
}

output "runbook" {
  description = "Where each alert's section of the runbook is."
  value       = local.runbook
}
