output "name" {
  description = "Name of the function and of its Cloud Run service."
  value       = google_cloudfunctions2_function.this.name
}

output "uri" {
  description = "Its run.app address, the one that internal ingress and VPC Service Controls know."
  value       = google_cloudfunctions2_function.this.service_config[0].uri
}

output "invokers" {
  description = "Who may call it."
  value       = { for name, grant in google_cloud_run_v2_service_iam_member.invoker : name => grant.member }
}
