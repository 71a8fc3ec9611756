# api and mcp, which people and programs call from outside. Cloud Run services from the same kind of zip: a function's
# resource cannot switch the invoker check off, and knows no IAP.
resource "google_cloud_run_v2_service" "server" {
  for_each = local.servers

  project             = var.project_id
  location            = var.region
  name                = each.value.service
  description         = each.value.description
  labels              = local.labels
  deletion_protection = var.deletion_protection
  ingress             = "INGRESS_TRAFFIC_ALL"

  # Everybody reaches it; who they are, the API finds out itself. Never through allUsers: that grant outlives a change
  # of mind, and organisations forbid it.
  invoker_iam_disabled = var.api_exposure == "public"
  iap_enabled          = var.api_exposure == "iap"

  build_config {
    source_location          = "gs://${google_storage_bucket.sources.name}/${google_storage_bucket_object.source[each.key].name}"
    function_target          = each.key
    image_uri                = local.images[each.key]
    base_image               = local.base_image
    enable_automatic_updates = true
    service_account          = google_service_account.build.id
  }

  template {
    service_account                  = google_service_account.function[each.key].email
    timeout                          = "${local.timeout_s}s"
    max_instance_request_concurrency = each.value.size.concurrency
    encryption_key                   = var.kms_keys.regional
    labels                           = local.labels

    scaling {
      max_instance_count = each.value.size.max_instances
      min_instance_count = each.value.size.min_instances
    }

    containers {
      image          = local.images[each.key]
      base_image_uri = local.base_image

      resources {
        cpu_idle          = true
        startup_cpu_boost = true
        limits            = { cpu = each.value.size.cpu, memory = each.value.size.memory }
      }

      dynamic "env" {
        for_each = merge(local.settings, local.server_settings[each.key], each.key == "mcp" ? local.tool_settings : {}, {
          ENTRACTE_FUNCTION_TIMEOUT_S = tostring(local.timeout_s)
          LOG_EXECUTION_ID            = "true"
          THREADS                     = tostring(each.value.size.concurrency)
          WORKERS                     = "1"
        })

        content {
          name  = env.key
          value = env.value
        }
      }
    }

    dynamic "vpc_access" {
      for_each = var.network[*]

      content {
        egress = vpc_access.value.egress

        network_interfaces {
          network    = vpc_access.value.network
          subnetwork = vpc_access.value.subnetwork
        }
      }
    }
  }

  depends_on = [
    google_project_iam_member.build,
    google_artifact_registry_repository_iam_member.build,
    google_storage_bucket_iam_member.build,
    terraform_data.agents_known,
    terraform_data.keys_granted,
  ]
}

locals {
  images     = { for name, function in local.servers : name => "${local.registry}/${function.service}" }
  registry   = "${var.region}-docker.pkg.dev/${var.project_id}/${google_artifact_registry_repository.images.repository_id}"
  base_image = "${var.region}-docker.pkg.dev/serverless-runtimes/google-22-full/runtimes/${local.manifest.runtime}"

  # Each server with each caller. In the mode iap it is IAP that calls, and people are let through IAP.
  callers = {
    for pair in setproduct(keys(local.servers), var.api_exposure == "public" ? [] : var.api_invokers) :
    "${pair[0]} ${pair[1]}" => { server = pair[0], member = pair[1] }
  }
}

resource "google_cloud_run_v2_service_iam_member" "caller" {
  for_each = var.api_exposure == "iam" ? local.callers : {}

  project  = var.project_id
  location = var.region
  name     = google_cloud_run_v2_service.server[each.value.server].name
  role     = "roles/run.invoker"
  member   = each.value.member
}

resource "google_cloud_run_v2_service_iam_member" "iap" {
  for_each = var.api_exposure == "iap" ? local.servers : {}

  project  = var.project_id
  location = var.region
  name     = google_cloud_run_v2_service.server[each.key].name
  role     = "roles/run.invoker"
  member   = google_project_service_identity.agent["iap.googleapis.com"].member
}

resource "google_iap_web_cloud_run_service_iam_member" "caller" {
  for_each = var.api_exposure == "iap" ? local.callers : {}

  project                = var.project_id
  location               = var.region
  cloud_run_service_name = google_cloud_run_v2_service.server[each.value.server].name
  role                   = "roles/iap.httpsResourceAccessor"
  member                 = each.value.member
}
