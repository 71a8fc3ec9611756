mock_provider "google" {}

variables {
  build = {
    repository      = "projects/demo-p/locations/europe-west4/repositories/entracte"
    service_account = "projects/demo-p/serviceAccounts/build@demo-p.iam.gserviceaccount.com"
  }
  description           = "Chooses the next calls."
  entry_point           = "plan"
  invokers              = { push = "serviceAccount:push@demo-p.iam.gserviceaccount.com" }
  name                  = "entracte-plan"
  project_id            = "demo-p"
  region                = "europe-west4"
  runtime               = "python313"
  service_account_email = "plan@demo-p.iam.gserviceaccount.com"
  settings              = { ENTRACTE_NETWORK = "crm:network" }
  size                  = { concurrency = 20, cpu = "1", max_instances = 3, memory = "1Gi", min_instances = 0 }
  source_zip            = { bucket = "sources", object = "plan-0123.zip" }
}

run "only_the_named_reach_it_and_only_from_inside" {
  command = plan

  assert {
    condition     = google_cloudfunctions2_function.this.service_config[0].ingress_settings == "ALLOW_INTERNAL_ONLY"
    error_message = "The internet does not reach it."
  }
  assert {
    condition     = { for name, it in google_cloud_run_v2_service_iam_member.invoker : name => "${it.role} ${it.member}" } == { push = "roles/run.invoker ${var.invokers.push}" }
    error_message = "Invokers are those named."
  }
}

run "it_takes_as_many_requests_as_it_has_threads" {
  command = plan

  assert {
    condition = (
      google_cloudfunctions2_function.this.service_config[0].max_instance_request_concurrency == 20
      && google_cloudfunctions2_function.this.service_config[0].environment_variables["THREADS"] == "20"
    )
    error_message = "Concurrency and threads are one number."
  }
}

run "the_code_is_told_the_timeout_that_it_has" {
  command = plan

  assert {
    condition = (
      google_cloudfunctions2_function.this.service_config[0].timeout_seconds == 540
      && google_cloudfunctions2_function.this.service_config[0].environment_variables["ENTRACTE_FUNCTION_TIMEOUT_S"] == "540"
    )
    error_message = "Leases end after this time: the two must not differ."
  }
}

run "no_secret_is_mounted" {
  command = plan

  assert {
    condition = (
      length(google_cloudfunctions2_function.this.service_config[0].secret_environment_variables) == 0
      && length(google_cloudfunctions2_function.this.service_config[0].secret_volumes) == 0
    )
    error_message = "Secrets are read through the port, when they are needed."
  }
}

run "a_trigger_lives_where_the_database_does_and_tries_again" {
  command = plan
  variables {
    trigger = {
      database              = "entracte"
      document              = "gates/{gate}"
      event_type            = "google.cloud.firestore.document.v1.updated.withAuthContext"
      region                = "eur3"
      service_account_email = "trigger@demo-p.iam.gserviceaccount.com"
    }
  }

  assert {
    condition = (
      google_cloudfunctions2_function.this.event_trigger[0].trigger_region == "eur3"
      && google_cloudfunctions2_function.this.event_trigger[0].retry_policy == "RETRY_POLICY_RETRY"
    )
    error_message = "An edit whose event is lost would have to be made again."
  }
}

run "it_reaches_a_private_network_when_told_to" {
  command = plan
  variables {
    network = { network = "n", subnetwork = "s", egress = "ALL_TRAFFIC" }
  }

  assert {
    condition     = google_cloudfunctions2_function.this.service_config[0].direct_vpc_egress == "VPC_EGRESS_ALL_TRAFFIC"
    error_message = "All traffic goes through the network."
  }
}

run "everybody_is_refused_as_an_invoker" {
  command = plan
  variables {
    invokers = { anybody = "allAuthenticatedUsers" }
  }
  expect_failures = [var.invokers]
}

run "a_timeout_above_the_ack_deadline_is_refused" {
  command = plan
  variables {
    timeout_s = 600
  }
  expect_failures = [var.timeout_s]
}

run "many_requests_on_less_than_a_cpu_are_refused" {
  command = plan
  variables {
    size = { concurrency = 20, cpu = "0.5", max_instances = 3, memory = "1Gi", min_instances = 0 }
  }
  expect_failures = [var.size]
}
