# Who may do what. Values that Google makes up are given here, so that members can be compared while planning.
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
  project_id         = "demo-p"
  region             = "europe-west4"
  runbook_url        = "https://example.com/operations"
  vertex_location    = "europe-west4"
}

run "each_function_has_just_the_rights_that_it_uses" {
  command = plan

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
      evaluate = "api evaluate execute plan sweep"
      execute  = "api approve evaluate execute plan sweep"
      plan     = "api evaluate execute plan sweep"
      sweep    = ""
      undo     = "api execute sweep undo"
    }
    error_message = "Each function publishes what it may come to publish."
  }
}

run "pubsub_may_move_dead_letters" {
  command = plan

  assert {
    condition     = module.dead_letters.publishers == { pubsub = google_project_service_identity.agent["pubsub.googleapis.com"].member }
    error_message = "Pub/Sub, and nobody else, publishes dead letters."
  }
  assert {
    condition     = [for kind, queue in module.queue : kind if !queue.forwards_dead_letters] == ["sweep"]
    error_message = "Every queue but sweep's gives its dead letters away."
  }
}

run "phases_are_called_by_push_alone_and_gate_edit_by_its_trigger" {
  command = plan

  assert {
    condition = { for name, phase in module.phase : name => keys(phase.invokers) } == {
      approve   = ["push"]
      evaluate  = ["push"]
      execute   = ["push"]
      gate_edit = ["trigger"]
      plan      = ["push"]
      sweep     = ["push"]
      undo      = ["push"]
    }
    error_message = "One invoker each."
  }
  assert {
    condition     = output.trigger_region == "eur3"
    error_message = "The trigger lives where the database does."
  }
}

run "secrets_have_no_value_and_few_readers" {
  command = plan
  variables {
    secrets = { OPENAI_API_KEY = ["plan", "evaluate"], CRM_TOKEN = ["execute", "undo"] }
  }

  assert {
    condition     = alltrue([for it in google_secret_manager_secret_version.generated : it.secret_data == null || it.secret_data == ""])
    error_message = "No value stands in the state."
  }
  assert {
    condition     = toset(keys(google_secret_manager_secret_version.generated)) == toset(["ENTRACTE_LINK_KEY", "ENTRACTE_SEAL_KEY", "ENTRACTE_WEBHOOK_SECRET"])
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
}

run "a_secret_among_the_settings_is_refused" {
  command = plan
  variables {
    settings = { OPENAI_API_KEY = "x", NOTIFY = "slack+https://hooks.example.com/T/B/x" }
  }
  expect_failures = [var.settings]
}
