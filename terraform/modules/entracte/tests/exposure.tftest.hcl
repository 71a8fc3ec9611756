# How the outside reaches api and mcp.
mock_provider "google" {
  override_during = plan

  mock_data "google_project" {
    defaults = { number = "123" }
  }
}

mock_provider "google-beta" {
  override_during = plan

  mock_resource "google_project_service_identity" {
    defaults = { member = "serviceAccount:agent@example.iam.gserviceaccount.com" }
  }
}

variables {
  api_invokers       = ["group:agents@example.com"]
  bundles            = "tests/bundles"
  firestore_location = "eur3"
  mcp                = true
  project_id         = "demo-p"
  region             = "europe-west4"
  runbook_url        = "https://example.com/operations"
  vertex_location    = "europe-west4"
}

run "by_default_callers_are_named" {
  command = plan

  assert {
    condition     = [for it in google_cloud_run_v2_service.server : it.invoker_iam_disabled || it.iap_enabled] == [false, false]
    error_message = "Cloud Run checks who calls."
  }
  assert {
    condition     = toset([for it in google_cloud_run_v2_service_iam_member.caller : "${it.name} ${it.role} ${it.member}"]) == toset(["entracte-api roles/run.invoker group:agents@example.com", "entracte-mcp roles/run.invoker group:agents@example.com"])
    error_message = "Those named may call api and mcp."
  }
}

run "public_switches_the_check_off_and_grants_nothing" {
  command = plan
  variables {
    api_exposure = "public"
  }

  assert {
    condition     = [for it in google_cloud_run_v2_service.server : it.invoker_iam_disabled] == [true, true]
    error_message = "The API finds out itself who calls."
  }
  assert {
    condition     = length(google_cloud_run_v2_service_iam_member.caller) + length(google_cloud_run_v2_service_iam_member.iap) == 0
    error_message = "allUsers never appears."
  }
}

run "behind_iap_only_iap_calls" {
  command = plan
  variables {
    api_exposure = "iap"
  }

  assert {
    condition     = [for it in google_cloud_run_v2_service.server : it.iap_enabled && !it.invoker_iam_disabled] == [true, true]
    error_message = "IAP stands before Cloud Run's own check."
  }
  assert {
    condition = (
      alltrue([for it in google_cloud_run_v2_service_iam_member.iap : it.member == google_project_service_identity.agent["iap.googleapis.com"].member])
      && length(google_cloud_run_v2_service_iam_member.caller) == 0
      && [for it in google_iap_web_cloud_run_service_iam_member.caller : it.role] == ["roles/iap.httpsResourceAccessor", "roles/iap.httpsResourceAccessor"]
    )
    error_message = "People are let through IAP, and IAP alone calls."
  }
}

run "everybody_is_refused_as_an_invoker" {
  command = plan
  variables {
    api_invokers = ["allUsers"]
  }
  expect_failures = [var.api_invokers]
}
