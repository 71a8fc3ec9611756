variable "api_invokers" {
  description = "IAM members that may call the API, such as group:agents@example.com."
  type        = set(string)
  default     = []
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
  default     = "../../../dist"
}

variable "firestore_location" {
  description = "Where the database lives: a region, or eur3 or nam5. Cannot be changed later."
  type        = string
}

variable "notification_channels" {
  description = "Full names of the Monitoring channels that are told of alerts."
  type        = list(string)
  default     = []
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
}

variable "settings" {
  description = "Further settings of the functions, without ENTRACTE_: { NOTIFY = \"mailto:ops@example.com,slack+secret:SLACK_DESK\" }."
  type        = map(string)
  default     = {}
}

variable "sign_in" {
  description = "Who may use the API, and what proves it: { users = [\"*@example.com\"], operators = [\"ops@example.com\"] }."
  type = object({
    with      = optional(set(string), ["google", "keys"])
    audiences = optional(list(string), [])
    users     = optional(set(string), ["*"])
    operators = optional(set(string), [])
  })
  default = {}
}

variable "vertex_location" {
  description = "Where models are asked: a region, or global. Decides where prompts are processed, so that there is no default."
  type        = string
}
