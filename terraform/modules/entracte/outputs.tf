output "api_url" {
  description = "Address of the API."
  value       = google_cloud_run_v2_service.server["api"].uri
}

output "audience" {
  description = "What tokens for the API are made for: gcloud auth print-identity-token --audiences=…"
  value       = local.audiences["api"]
}

output "console" {
  description = "Pages that a person needs: gates in the Firestore console, the dashboard, logs."
  value = {
    dashboard = "https://console.cloud.google.com/monitoring/dashboards/builder/${basename(module.alerts.dashboard)}?project=${var.project_id}"
    gates     = "https://console.cloud.google.com/firestore/databases/${module.firestore.name}/data/panel/gates?project=${var.project_id}"
    logs      = "https://console.cloud.google.com/logs/query;query=${urlencode("resource.labels.service_name=~\"^${var.prefix}-\"")}?project=${var.project_id}"
  }
}

output "database" {
  description = "Id of the Firestore database."
  value       = module.firestore.name
}

output "mcp_url" {
  description = "Address of the MCP gateway; null without one."
  value       = try(google_cloud_run_v2_service.server["mcp"].uri, null)
}

output "phase_accounts" {
  description = "E-mail of the account that each function runs as."
  value       = { for name, account in google_service_account.function : name => account.email }
}

output "secrets_to_fill" {
  description = "A command for each secret that has no value yet; it reads the value from standard input."
  value = {
    for name in keys(local.given) :
    name => "gcloud secrets versions add ${var.prefix}-${name} --project ${var.project_id} --data-file -"
  }
}

output "tools_account" {
  description = "Account that tools act as: grant it what your tools need, and nothing to the functions' accounts."
  value       = google_service_account.tools.email
}

output "trigger_region" {
  description = "Where the trigger of gates lives: with the database."
  value       = module.firestore.location
}
