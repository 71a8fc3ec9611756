output "api_url" {
  description = "Address of the API."
  value       = module.entracte.api_url
}

output "audience" {
  description = "What tokens for the API are made for."
  value       = module.entracte.audience
}

output "console" {
  description = "Pages that a person needs: gates in the Firestore console, the dashboard, logs."
  value       = module.entracte.console
}

output "secrets_to_fill" {
  description = "A command for each secret that has no value yet; it reads the value from standard input."
  value       = module.entracte.secrets_to_fill
}

output "tools_account" {
  description = "Account that tools act as: grant it what your tools need."
  value       = module.entracte.tools_account
}
