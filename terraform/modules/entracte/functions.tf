locals {
  # What infra/bundle.py has made: zips by function, the network that they carry, the runtime that they are for.
  manifest = jsondecode(file("${var.bundles}/bundles.json"))

  # Every function: what it may publish (also what it would have published had it not crashed), and its size where that
  # is not the usual one. Those that ask a model wait for it, 20 at a time; those that run tools have fewer at a time
  # and memory of their own.
  catalogue = {
    api = {
      description = "The HTTP API: starts runs and answers questions about them."
      publishes   = ["approve", "evaluate", "execute", "plan", "undo"]
      size        = { max_instances = 10 }
    }
    approve = {
      description = "Announces gates and takes the answers of people."
      publishes   = ["approve", "evaluate", "execute", "plan"]
      size        = {}
    }
    evaluate = {
      description = "Judges the results of a step and turns what matters into state."
      publishes   = ["evaluate", "execute", "plan"]
      size        = { max_instances = 2 }
    }
    execute = {
      description = "Makes one call of a tool or sub-agent and records its end."
      publishes   = ["approve", "evaluate", "execute", "plan", "undo"]
      size        = { concurrency = 4, max_instances = 20, memory = "2Gi" }
    }
    gate_edit = {
      description = "Hears of edits in the Firestore console and passes decisions on."
      publishes   = ["approve"]
      size        = { max_instances = 2, memory = "512Mi" }
    }
    mcp = {
      description = "Offers the tools to other agents, under the same policy."
      publishes   = ["approve", "evaluate", "execute", "plan", "undo"]
      size        = { concurrency = 4, memory = "2Gi" }
    }
    memorize = {
      description = "Keeps what should be remembered of a run that has ended."
      publishes   = []
      size        = { max_instances = 1 }
    }
    plan = {
      description = "Understands a request, then chooses the next calls or gives the final answer."
      publishes   = ["evaluate", "execute", "memorize", "plan"]
      size        = { max_instances = 2 }
    }
    sweep = {
      description = "Looks at what is due and has not moved, at dead letters, and at what may be deleted."
      publishes   = ["approve", "evaluate", "execute", "memorize", "plan", "undo"]
      size        = { max_instances = 2 }
    }
    undo = {
      description = "Takes a run back, newest effect first."
      publishes   = ["undo"]
      size        = { concurrency = 4, memory = "2Gi" }
    }
  }

  usual_size = { concurrency = 20, cpu = "1", max_instances = 3, memory = "1Gi", min_instances = 0 }

  functions = {
    for name, function in local.catalogue : name => merge(function, {
      service = "${var.prefix}-${replace(name, "_", "-")}"
      size = merge(local.usual_size, function.size, {
        for what, value in try(var.sizes[name], {}) : what => value if value != null
      })
    })
    if !contains(local.left_out, name)
  }

  left_out = concat(var.mcp ? [] : ["mcp"], var.memory ? [] : ["memorize"])

  phases  = { for name, function in local.functions : name => function if !contains(keys(local.servers), name) }
  servers = { for name, function in local.functions : name => function if contains(["api", "mcp"], name) }
  queues  = { for name, function in local.phases : name => function if name != "gate_edit" }

  asks_model = setintersection(keys(local.functions), ["evaluate", "memorize", "plan"])

  # Tools that remember and recall ask the embedding model, as does taking them back.
  asks_model_or_embeds = setunion(local.asks_model, var.memory ? ["execute", "undo"] : [])

  runs_tools = setintersection(keys(local.functions), ["execute", "mcp", "undo"])
  uses_store = setsubtract(keys(local.functions), ["gate_edit"]) # value and author come with the event

  labels = merge(var.labels, { app = "entracte", deployment = var.prefix })

  # Below the longest ack deadline, 600 s, and no longer than a function with a trigger may take.
  timeout_s = 540

  settings = merge({ for name, value in var.settings : "ENTRACTE_${name}" => value }, {
    ENTRACTE_DATABASE        = module.firestore.name
    ENTRACTE_NETWORK         = local.manifest.network
    ENTRACTE_PROJECT         = var.project_id
    ENTRACTE_TOPIC_PREFIX    = var.prefix
    ENTRACTE_VERTEX_LOCATION = var.vertex_location
  })

  # How callers prove who they are. Tokens are made for an address that is known before the service is: the one that
  # Cloud Run shows first depends on it.
  server_settings = {
    for name, function in local.servers : name => {
      ENTRACTE_AUTH = join(",", concat(sort(tolist(var.sign_in.with)), var.api_exposure == "iap" ? ["iap"] : []))
      ENTRACTE_AUDIENCE = join(",", concat(
        [local.audiences[name]],
        var.api_exposure == "iap" ? ["/projects/${data.google_project.this.number}/locations/${var.region}/services/${function.service}"] : [],
        var.sign_in.audiences,
      ))
      ENTRACTE_OPERATORS = join(",", sort(tolist(var.sign_in.operators)))
      ENTRACTE_USERS     = join(",", sort(tolist(var.sign_in.users)))
    }
  }

  audiences = {
    for name, function in local.servers :
    name => "https://${function.service}-${data.google_project.this.number}.${var.region}.run.app"
  }

  tool_settings = { ENTRACTE_TOOLS_ACCOUNT = google_service_account.tools.email }

  # Cloud Run has checked the token and taken its signature away: what is left to check are the claims.
  phase_settings = {
    ENTRACTE_BEHIND_IAM = "true"
    ENTRACTE_PUBLIC_URL = lookup(var.settings, "PUBLIC_URL", google_cloud_run_v2_service.server["api"].uri)
  }
}

locals {
  # Whose pushes a function takes.
  caller_of = { for name in keys(local.phases) : name => name == "gate_edit" ? "trigger" : "push" }
  accounts  = { push = google_service_account.push.email, trigger = google_service_account.trigger.email }
}

module "phase" {
  source   = "../phase_function"
  for_each = local.phases

  build                 = { repository = google_artifact_registry_repository.images.id, service_account = google_service_account.build.id }
  description           = each.value.description
  entry_point           = each.key
  invokers              = each.key == "gate_edit" ? { trigger = google_service_account.trigger.member } : { push = google_service_account.push.member }
  kms_key               = var.kms_keys.regional
  labels                = local.labels
  name                  = each.value.service
  network               = var.network
  project_id            = var.project_id
  region                = var.region
  runtime               = local.manifest.runtime
  service_account_email = google_service_account.function[each.key].email
  settings              = merge(local.settings, local.phase_settings, { ENTRACTE_PUSH_ACCOUNT = local.accounts[local.caller_of[each.key]] }, contains(local.runs_tools, each.key) ? local.tool_settings : {})
  size                  = each.value.size
  source_zip            = { bucket = google_storage_bucket.sources.name, object = google_storage_bucket_object.source[each.key].name }
  timeout_s             = local.timeout_s

  trigger = each.key != "gate_edit" ? null : {
    database              = module.firestore.name
    document              = "gates/{gate}"
    event_type            = "google.cloud.firestore.document.v1.updated.withAuthContext"
    region                = module.firestore.location
    service_account_email = google_service_account.trigger.email
  }

  depends_on = [
    google_project_iam_member.build,
    google_project_iam_member.event_receiver,
    google_artifact_registry_repository_iam_member.build,
    google_storage_bucket_iam_member.build,
    terraform_data.agents_known,
    terraform_data.keys_granted,
  ]
}
