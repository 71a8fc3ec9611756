variable "api_exposure" {
  description = <<-EOT
    How api and mcp are reached. iam: callers need roles/run.invoker; their token for it travels in
    X-Serverless-Authorization, the user's own in Authorization. public: anybody reaches them, and they check who it is.
    iap: people sign in at Identity-Aware Proxy first.
  EOT
  type        = string
  default     = "iam"

  validation {
    condition     = contains(["iam", "public", "iap"], var.api_exposure)
    error_message = "One of iam, public, iap."
  }
}

variable "api_invokers" {
  description = "IAM members that may call api and mcp in the modes iam and iap, such as group:agents@example.com."
  type        = set(string)
  default     = []

  validation {
    condition     = length(setintersection(var.api_invokers, ["allUsers", "allAuthenticatedUsers"])) == 0
    error_message = "For an API that anybody reaches set api_exposure = \"public\"."
  }
}

variable "audit_logs" {
  description = "Log each change of a document. A setting of the project: where several deployments share it, one has it."
  type        = bool
  default     = true
}

variable "budget" {
  description = "Monthly amount to be told about, and the account that pays (a whole number); null for none."
  type = object({
    amount          = number
    billing_account = string
    currency        = string
  })
  default = null
}

variable "bundles" {
  description = "Folder that `python3 infra/dev.py bundle` has filled."
  type        = string

  validation {
    condition     = fileexists("${var.bundles}/bundles.json")
    error_message = "There is no bundles.json in it. Run: python3 infra/dev.py bundle"
  }
  validation {
    condition = length(setsubtract(
      setsubtract(
        ["api", "approve", "evaluate", "execute", "gate_edit", "mcp", "memorize", "plan", "sweep", "undo"],
        concat(var.mcp ? [] : ["mcp"], var.memory ? [] : ["memorize"]),
      ),
      try(keys(jsondecode(file("${var.bundles}/bundles.json")).functions), []),
    )) == 0
    error_message = "A function of this deployment is not in bundles.json. Run: python3 infra/dev.py bundle"
  }
}

variable "database" {
  description = "Id of the database where it is not the prefix: after a restore, which makes a new one."
  type        = string
  default     = null
}

variable "deletion_protection" {
  description = "Refuse to delete what holds data: database, secrets, API."
  type        = bool
  default     = true
}

variable "firestore_location" {
  description = "Where the database lives: a region, or eur3 or nam5. Cannot be changed later."
  type        = string
}

variable "gate_waiting_h" {
  description = "Hours that a gate may wait before somebody is told."
  type        = number
  default     = 72
}

variable "generated_keys_version" {
  description = "Raise it to make new keys for links and webhooks. Old versions stay readable."
  type        = number
  default     = 1
}

variable "kms_keys" {
  description = "Keys that encrypt data at rest: regional for all but the database, firestore (in its location). Null for Google's own."
  type = object({
    firestore = optional(string)
    regional  = optional(string)
  })
  default = {}
}

variable "labels" {
  description = "Labels of everything that can have some."
  type        = map(string)
  default     = {}
}

variable "mcp" {
  description = "Deploy the MCP gateway."
  type        = bool
  default     = false
}

variable "memory" {
  description = "Deploy memorize, for networks with long-term memory."
  type        = bool
  default     = false
}

variable "metadata_keys" {
  description = "Keys of run metadata by which runs may be listed. Each costs an index."
  type        = set(string)
  default     = []
}

variable "model_concurrency" {
  description = "Requests that the model's quota allows at the same time: its requests a minute times the seconds that one takes, over 60."
  type        = number
  default     = 100

  validation {
    condition = var.model_concurrency >= sum([
      for name in local.asks_model : local.functions[name].size.max_instances * local.functions[name].size.concurrency
    ])
    error_message = "plan, evaluate and memorize could ask more at a time than the model's quota allows: lower their max_instances in sizes, or raise the quota and this."
  }
}

variable "network" {
  description = "VPC that outgoing requests go through (Direct VPC egress); egress is ALL_TRAFFIC or PRIVATE_RANGES_ONLY."
  type = object({
    network    = string
    subnetwork = string
    egress     = optional(string, "PRIVATE_RANGES_ONLY")
  })
  default = null

  validation {
    condition     = contains(["ALL_TRAFFIC", "PRIVATE_RANGES_ONLY"], try(var.network.egress, "ALL_TRAFFIC"))
    error_message = "egress is ALL_TRAFFIC or PRIVATE_RANGES_ONLY."
  }
}

variable "notification_channels" {
  description = "Full names of the Monitoring channels that are told of alerts."
  type        = list(string)
  default     = []
}

variable "prefix" {
  description = "What all names begin with, also the database's name. Several deployments may share a project."
  type        = string
  default     = "entracte"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{2,18}[a-z0-9]$", var.prefix))
    error_message = "4 to 20 lower-case letters, digits and hyphens, beginning with a letter: service accounts have 30 at most."
  }
}

variable "project_id" {
  description = "Project."
  type        = string
}

variable "region" {
  description = "Region of everything but the database; for eur3 best europe-west4, for nam5 us-central1."
  type        = string
}

variable "runbook_url" {
  description = "Page with a section for each alert, such as #dead-letters: infra/guide/operations.md where you publish it."
  type        = string
}

variable "secrets" {
  description = "Secrets that you will give values to, and the functions that read them: { OPENAI_API_KEY = [\"plan\", \"evaluate\"] }."
  type        = map(set(string))
  default     = {}

  validation {
    condition     = alltrue([for name in keys(var.secrets) : can(regex("^[A-Z][A-Z0-9_]*$", name))])
    error_message = "Names are upper-case letters, digits and _, as the code asks for them."
  }
  validation {
    condition     = length(setsubtract(flatten([for readers in values(var.secrets) : tolist(readers)]), keys(local.functions))) == 0
    error_message = "Readers are functions of this deployment."
  }
}

variable "settings" {
  description = "Further settings of the functions, without ENTRACTE_: { NOTIFY = \"mailto:ops@example.com,slack+secret:SLACK_DESK\" }. No secrets: they would stand in the state."
  type        = map(string)
  default     = {}

  validation {
    condition     = alltrue([for name in keys(var.settings) : can(regex("^[A-Z][A-Z0-9_]*$", name)) && !can(regex("KEY|PASSWORD|SECRET|TOKEN", name))])
    error_message = "Upper-case letters, digits and _. Keys, passwords, secrets and tokens belong into secrets."
  }
  validation {
    condition = alltrue([
      for address in split(",", lookup(var.settings, "NOTIFY", "")) :
      can(regex("^ *(webhook|slack|gchat)\\+secret:[A-Z][A-Z0-9_]* *$", address)) && !can(regex("secret:ENTRACTE_", address))
      || !can(regex("(?i)(slack|gchat)\\+|\\+secret:", address))
    ])
    error_message = "The address of a Slack or Google Chat webhook is as good as a password: it must not stand in the state. NOTIFY = \"slack+secret:NAME\" makes a secret for it; its name does not begin with ENTRACTE_."
  }
}

variable "sign_in" {
  description = <<-EOT
    Who may use api and mcp. with: google and firebase (their ID tokens), keys (API keys, of which a secret lists the
    hashes); IAP's own sign-in counts in the mode iap. audiences: client ids of your apps, beside the API's own address.
    users: e-mails or Firebase user ids that may come in with a token, * for any text, such as *@example.com. operators:
    those who may see and do what any owner may, in full.
  EOT
  type = object({
    with      = optional(set(string), ["google", "keys"])
    audiences = optional(list(string), [])
    users     = optional(set(string), ["*"])
    operators = optional(set(string), [])
  })
  default = {}

  validation {
    condition     = length(setsubtract(var.sign_in.with, ["google", "firebase", "keys"])) == 0 && length(var.sign_in.with) > 0
    error_message = "with has some of google, firebase, keys."
  }
  validation {
    condition     = !(var.api_exposure == "public" && contains(var.sign_in.with, "google") && contains(var.sign_in.users, "*"))
    error_message = "Every service account in the world can make itself a Google token for a public API: say who its users are, such as *@example.com."
  }
}

variable "sizes" {
  description = "Sizes of functions where the usual ones do not fit: { plan = { max_instances = 10 } }. concurrency is also the number of threads."
  type = map(object({
    concurrency   = optional(number)
    cpu           = optional(string)
    max_instances = optional(number)
    memory        = optional(string)
    min_instances = optional(number)
  }))
  default = {}

  validation {
    condition     = length(setsubtract(keys(var.sizes), keys(local.catalogue))) == 0
    error_message = "Sizes are given by the name of a function, such as plan or gate_edit."
  }
}

variable "vertex_location" {
  description = "Where models are asked: a region, or global. Decides where prompts are processed, so that there is no default."
  type        = string

  validation {
    condition     = can(regex("^(global|[a-z]+(-[a-z]+[0-9]+)?)$", var.vertex_location))
    error_message = "A region such as europe-west4, a multi-region such as eu, or global."
  }
}
