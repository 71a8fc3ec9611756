# Times, sizes, names and places.
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
  bundles            = "tests/bundles"
  firestore_location = "eur3"
  memory             = true
  project_id         = "demo-p"
  region             = "europe-west4"
  runbook_url        = "https://example.com/operations"
  vertex_location    = "europe-west4"
}

run "functions_fit_their_queues_and_the_model" {
  command = plan

  assert {
    condition     = alltrue([for queue in module.queue : queue.ack_deadline_s > local.timeout_s && queue.ack_deadline_s <= 600])
    error_message = "Function timeout < ack deadline <= 600 s."
  }
  assert {
    condition = { for name, function in local.functions : name => function.size.concurrency } == {
      api       = 20
      approve   = 20
      evaluate  = 20
      execute   = 4
      gate_edit = 20
      memorize  = 20
      plan      = 20
      sweep     = 20
      undo      = 4
    }
    error_message = "Twenty at a time; four where tools run."
  }
  assert {
    condition     = local.functions.execute.size.memory == "2Gi"
    error_message = "Tools have memory of their own."
  }
  assert {
    condition     = sum([for name in local.asks_model : local.functions[name].size.max_instances * local.functions[name].size.concurrency]) <= var.model_concurrency
    error_message = "Instances x concurrency stay within the model's quota."
  }
  assert {
    condition     = alltrue([for it in google_storage_bucket_object.source : can(regex("-[0-9a-f]{64}[.]zip$", it.name))])
    error_message = "A source is named by its hash."
  }
  assert {
    condition     = jsondecode(base64decode(google_cloud_scheduler_job.sweep.pubsub_target[0].data)) == { schema_version = 1, kind = "sweep", run = "" }
    error_message = "The scheduler sends a message of ours."
  }
}

run "more_than_the_model_can_answer_is_refused" {
  command = plan
  variables {
    sizes = { plan = { max_instances = 10 } }
  }
  expect_failures = [var.model_concurrency]
}

run "a_larger_quota_allows_more_instances" {
  command = plan
  variables {
    model_concurrency = 300
    sizes             = { plan = { max_instances = 10 } }
  }

  assert {
    condition     = local.functions.plan.size.max_instances == 10 && local.functions.plan.size.memory == "1Gi"
    error_message = "What is not said stays as it is."
  }
}

run "two_deployments_of_a_project_share_no_name" {
  command = plan
  variables {
    prefix = "second"
  }

  assert {
    condition = alltrue([
      for name in concat(
        [for it in google_service_account.function : it.account_id],
        [for it in google_cloud_run_v2_service.server : it.name],
        [for it in google_secret_manager_secret.this : it.secret_id],
        [google_artifact_registry_repository.images.repository_id, google_cloud_scheduler_job.sweep.name, module.firestore.name],
        [google_project_iam_custom_role.asks_model.role_id],
      ) : startswith(name, "second")
    ])
    error_message = "All names begin with the prefix."
  }
}

run "keys_of_the_customer_encrypt_everything" {
  command = plan
  variables {
    kms_keys = {
      firestore = "projects/keys/locations/europe/keyRings/r/cryptoKeys/f"
      regional  = "projects/keys/locations/europe-west4/keyRings/r/cryptoKeys/k"
    }
  }

  assert {
    condition = toset(keys(google_kms_crypto_key_iam_member.encrypter)) == toset([
      "artifactregistry.googleapis.com",
      "cloudfunctions.googleapis.com",
      "eventarc.googleapis.com",
      "firestore.googleapis.com",
      "pubsub.googleapis.com",
      "run.googleapis.com",
      "secretmanager.googleapis.com",
      "storage.googleapis.com",
    ])
    error_message = "Each service that stores something may use its key."
  }
  assert {
    condition     = google_storage_bucket.sources.encryption[0].default_kms_key_name == var.kms_keys.regional
    error_message = "Sources, too."
  }
}

run "a_bundle_that_was_not_made_is_asked_for" {
  command = plan
  variables {
    bundles = "tests"
  }
  expect_failures = [var.bundles]
}

run "a_place_for_models_is_no_free_text" {
  command = plan
  variables {
    vertex_location = ""
  }
  expect_failures = [var.vertex_location]
}
