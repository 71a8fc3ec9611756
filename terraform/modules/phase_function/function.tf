# A function that only Google's own services may call: Pub/Sub by push, or Eventarc for the Firestore trigger.
resource "google_cloudfunctions2_function" "this" {
  project      = var.project_id
  location     = var.region
  name         = var.name
  description  = var.description
  kms_key_name = var.kms_key
  labels       = var.labels

  build_config {
    runtime           = var.runtime
    entry_point       = var.entry_point
    docker_repository = var.build.repository
    service_account   = var.build.service_account # the default one often lacks rights since 2024

    source {
      storage_source {
        bucket = var.source_zip.bucket
        object = var.source_zip.object
      }
    }

    automatic_update_policy {} # security patches of the runtime without a deployment
  }

  service_config {
    service_account_email            = var.service_account_email
    ingress_settings                 = "ALLOW_INTERNAL_ONLY"
    all_traffic_on_latest_revision   = true
    available_cpu                    = var.size.cpu
    available_memory                 = var.size.memory
    max_instance_count               = var.size.max_instances
    min_instance_count               = var.size.min_instances
    max_instance_request_concurrency = var.size.concurrency
    timeout_seconds                  = var.timeout_s
    direct_vpc_egress                = try("VPC_EGRESS_${var.network.egress}", null)

    environment_variables = merge(var.settings, {
      ENTRACTE_FUNCTION_TIMEOUT_S = tostring(var.timeout_s)
      LOG_EXECUTION_ID            = "true"                         # Google sets it, which would differ for ever
      THREADS                     = tostring(var.size.concurrency) # the framework's own default is 4 a CPU
      WORKERS                     = "1"
    })

    dynamic "direct_vpc_network_interface" {
      for_each = var.network[*]

      content {
        network    = direct_vpc_network_interface.value.network
        subnetwork = direct_vpc_network_interface.value.subnetwork
      }
    }
  }

  dynamic "event_trigger" {
    for_each = var.trigger[*]

    content {
      event_type            = event_trigger.value.event_type
      trigger_region        = event_trigger.value.region
      service_account_email = event_trigger.value.service_account_email
      retry_policy          = "RETRY_POLICY_RETRY"

      event_filters {
        attribute = "database"
        value     = event_trigger.value.database
      }
      event_filters {
        attribute = "document"
        operator  = "match-path-pattern"
        value     = event_trigger.value.document
      }
    }
  }

  lifecycle {
    postcondition {
      condition = (
        self.service_config[0].max_instance_request_concurrency
        == tonumber(self.service_config[0].environment_variables["THREADS"])
      )
      error_message = "${var.name}: as many requests as threads, else requests wait in the instance while others could be started."
    }
    postcondition {
      condition     = self.service_config[0].ingress_settings == "ALLOW_INTERNAL_ONLY"
      error_message = "${var.name} must not be reachable from the internet."
    }
  }
}
