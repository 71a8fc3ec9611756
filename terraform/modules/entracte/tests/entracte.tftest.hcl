# Values that Google makes up are given here, so that members can be compared while planning. Facts of one and the same
# plan share a run: each run plans everything anew.
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
  project_id         = "demo-p"
  region             = "europe-west4"
  runbook_url        = "https://example.com/operations"
  secrets            = { OPENAI_API_KEY = ["plan", "evaluate"], CRM_TOKEN = ["execute", "undo"] }
  vertex_location    = "europe-west4"
}

run "a_deployment_as_it_is_by_default" {
  command = plan

  # Accounts and their rights.

  assert {
    condition     = toset(keys(google_service_account.function)) == toset(["api", "approve", "evaluate", "execute", "gate_edit", "plan", "sweep", "undo"])
    error_message = "One account for each function; mcp and memorize only when wanted."
  }
  assert {
    condition     = toset(keys(google_project_iam_member.asks_model)) == toset(["evaluate", "plan"])
    error_message = "Only those that ask a model may."
  }
  assert {
    condition     = google_project_iam_custom_role.asks_model.permissions == toset(["aiplatform.endpoints.predict"])
    error_message = "Asking a model is one permission."
  }
  assert {
    condition     = toset(keys(google_service_account_iam_member.acts_as_tools)) == toset(["execute", "undo"])
    error_message = "Only those that run tools act as the tools' account."
  }
  assert {
    condition     = !contains(keys(module.firestore.users), "gate_edit") && length(module.firestore.users) == 7
    error_message = "Every function but gate_edit reads and writes documents."
  }
  assert {
    condition = { for kind, queue in module.queue : kind => join(" ", keys(queue.publishers)) } == {
      approve  = "api approve execute gate_edit sweep"
      evaluate = "api approve evaluate execute plan sweep"
      execute  = "api approve evaluate execute plan sweep"
      plan     = "api approve evaluate execute plan sweep"
      sweep    = ""
      undo     = "api execute sweep undo"
    }
    error_message = "Each function publishes what it may come to publish."
  }

  # Who calls whom.

  assert {
    condition = { for name, phase in module.phase : name => join(" ", keys(phase.invokers)) } == {
      approve   = "push"
      evaluate  = "push"
      execute   = "push"
      gate_edit = "trigger"
      plan      = "push"
      sweep     = "push"
      undo      = "push"
    }
    error_message = "Phases are called by push alone, and gate_edit by its trigger."
  }
  assert {
    condition     = [for it in google_cloud_run_v2_service.server : it.invoker_iam_disabled || it.iap_enabled] == [false]
    error_message = "Cloud Run checks who calls the API."
  }
  assert {
    condition     = [for it in google_cloud_run_v2_service_iam_member.caller : "${it.name} ${it.role} ${it.member}"] == ["entracte-api roles/run.invoker group:agents@example.com"]
    error_message = "Those named may call the API."
  }
  assert {
    condition     = output.trigger_region == "eur3"
    error_message = "The trigger lives where the database does."
  }

  assert {
    condition     = { for name, caller in local.caller_of : name => caller if caller != "push" } == { gate_edit = "trigger" }
    error_message = "Each function is told who calls it, and that Cloud Run has checked it."
  }

  # Queues.

  assert {
    condition     = module.dead_letters.publishers == { pubsub = google_project_service_identity.agent["pubsub.googleapis.com"].member }
    error_message = "Pub/Sub, and nobody else, publishes dead letters."
  }
  assert {
    condition     = [for kind, queue in module.queue : kind if !queue.forwards_dead_letters] == ["sweep"]
    error_message = "Every queue but sweep's gives its dead letters away."
  }
  assert {
    condition     = alltrue([for queue in module.queue : queue.ack_deadline_s > local.timeout_s && queue.ack_deadline_s <= 600])
    error_message = "Function timeout < ack deadline <= 600 s."
  }
  assert {
    condition     = jsondecode(base64decode(google_cloud_scheduler_job.sweep.pubsub_target[0].data)) == { schema_version = 1, kind = "sweep", run = "" }
    error_message = "The scheduler sends a message of ours."
  }

  # Secrets.

  assert {
    condition     = alltrue([for it in google_secret_manager_secret_version.generated : it.secret_data == null || it.secret_data == ""])
    error_message = "No value stands in the state."
  }
  assert {
    condition     = toset(keys(google_secret_manager_secret_version.generated)) == toset(["ENTRACTE_LINK_KEY", "ENTRACTE_MASK_KEY", "ENTRACTE_WEBHOOK_SECRET"])
    error_message = "Only keys that nobody needs to know are made here."
  }
  assert {
    condition = toset([for name in keys(google_secret_manager_secret_iam_member.reader) : name if !startswith(name, "ENTRACTE_")]) == toset([
      "CRM_TOKEN execute", "CRM_TOKEN undo", "OPENAI_API_KEY evaluate", "OPENAI_API_KEY plan",
    ])
    error_message = "Readers are those named."
  }
  assert {
    condition     = toset(keys(output.secrets_to_fill)) == toset(["CRM_TOKEN", "ENTRACTE_API_KEYS", "OPENAI_API_KEY"])
    error_message = "Whoever deploys is told what is left to fill."
  }

  # Sources.

  assert {
    condition     = alltrue([for it in google_storage_bucket_object.source : can(regex("-[0-9a-f]{64}[.]zip$", it.name))])
    error_message = "A source is named by its hash."
  }
}

run "functions_fit_the_model_and_their_tools" {
  command = plan
  variables {
    mcp    = true
    memory = true
  }

  assert {
    condition = { for name, function in local.functions : name => function.size.concurrency } == {
      api       = 20
      approve   = 20
      evaluate  = 20
      execute   = 4
      gate_edit = 20
      mcp       = 4
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
}

run "a_second_deployment_with_a_larger_quota_and_keys_of_its_own" {
  command = plan
  variables {
    kms_keys = {
      firestore = "projects/keys/locations/europe/keyRings/r/cryptoKeys/f"
      regional  = "projects/keys/locations/europe-west4/keyRings/r/cryptoKeys/k"
    }
    model_concurrency = 300
    prefix            = "second"
    sizes             = { plan = { max_instances = 10 } }
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
  assert {
    condition     = local.functions.plan.size.max_instances == 10 && local.functions.plan.size.memory == "1Gi"
    error_message = "What is not said of a size stays as it is."
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
    error_message = "Sources are encrypted, too."
  }
}

run "a_restored_database_has_another_name" {
  command = plan
  variables {
    database = "entracte-2"
    memory   = true
  }

  assert {
    condition     = local.settings.ENTRACTE_DATABASE == "entracte-2" && local.settings.ENTRACTE_TOPIC_PREFIX == "entracte"
    error_message = "Only the database is another one."
  }
  assert {
    condition     = toset(keys(module.queue["memorize"].publishers)) == toset(["plan", "sweep"]) && contains(local.uses_store, "memorize")
    error_message = "Memories are made of what plan has ended, and again of what sweep finds undone."
  }
}

run "egress_goes_through_a_network_where_one_is_named" {
  command = plan
  variables {
    network = { network = "vpc", subnetwork = "private", egress = "ALL_TRAFFIC" }
  }

  assert {
    condition     = [for it in google_cloud_run_v2_service.server["api"].template[0].vpc_access : "${it.egress} ${it.network_interfaces[0].subnetwork}"] == ["ALL_TRAFFIC private"]
    error_message = "The API's, too."
  }
}

run "public_switches_the_check_off_and_grants_nothing" {
  command = plan
  variables {
    api_exposure = "public"
    sign_in      = { with = ["google", "firebase"], users = ["*@example.com"], operators = ["ops@example.com"], audiences = ["app"] }
  }

  assert {
    condition = local.server_settings.api == {
      ENTRACTE_AUTH      = "firebase,google"
      ENTRACTE_AUDIENCE  = "https://entracte-api-123.europe-west4.run.app,app"
      ENTRACTE_OPERATORS = "ops@example.com"
      ENTRACTE_USERS     = "*@example.com"
    }
    error_message = "The API is told who may come in, and by what proof."
  }
  assert {
    condition     = !contains(keys(output.secrets_to_fill), "ENTRACTE_API_KEYS")
    error_message = "Without keys there is no list of them."
  }

  assert {
    condition     = google_cloud_run_v2_service.server["api"].invoker_iam_disabled
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
    mcp          = true
  }

  assert {
    condition     = [for it in google_cloud_run_v2_service.server : it.iap_enabled && !it.invoker_iam_disabled] == [true, true]
    error_message = "IAP stands before Cloud Run's own check."
  }
  assert {
    condition = (
      local.server_settings.api.ENTRACTE_AUTH == "google,keys,iap"
      && local.server_settings.mcp.ENTRACTE_AUDIENCE == "https://entracte-mcp-123.europe-west4.run.app,/projects/123/locations/europe-west4/services/entracte-mcp"
    )
    error_message = "What IAP says of who signed in counts, for this service alone."
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

run "a_chat_is_told_at_the_address_that_a_secret_holds" {
  command = plan
  variables {
    secrets  = { OPENAI_API_KEY = ["plan"], SLACK_DESK = ["api", "plan"] }
    settings = { NOTIFY = "mailto:, slack+secret:SLACK_DESK,gchat+secret:CHAT_OPS" }
  }

  assert {
    condition = { for name, readers in local.given : name => join(" ", sort(tolist(readers))) if !startswith(name, "ENTRACTE_") } == {
      CHAT_OPS       = "approve evaluate execute plan sweep undo"
      OPENAI_API_KEY = "plan"
      SLACK_DESK     = "api approve evaluate execute plan sweep undo"
    }
    error_message = "Those that tell people read it, beside those that are named."
  }
  assert {
    condition     = toset(keys(output.secrets_to_fill)) == toset(["CHAT_OPS", "ENTRACTE_API_KEYS", "OPENAI_API_KEY", "SLACK_DESK"])
    error_message = "Whoever deploys is told where the address goes."
  }
}

run "a_key_of_the_deployment_is_no_address" {
  command = plan
  variables {
    settings = { NOTIFY = "slack+secret:ENTRACTE_LINK_KEY" }
  }
  expect_failures = [var.settings]
}

run "a_public_api_says_who_its_users_are" {
  command = plan
  variables {
    api_exposure = "public"
  }
  expect_failures = [var.sign_in]
}

run "what_must_not_be_is_refused" {
  command = plan
  variables {
    api_invokers    = ["allUsers"]
    settings        = { OPENAI_API_KEY = "x", NOTIFY = "slack+https://hooks.example.com/T/B/x" }
    sizes           = { plan = { max_instances = 10 } }
    vertex_location = ""
  }
  expect_failures = [var.api_invokers, var.model_concurrency, var.settings, var.vertex_location]
}

run "a_bundle_that_was_not_made_is_asked_for" {
  command = plan
  variables {
    bundles = "tests"
  }
  expect_failures = [var.bundles]
}
