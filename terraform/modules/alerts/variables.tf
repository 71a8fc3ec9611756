variable "api_service" {
  description = "Name of the API's Cloud Run service."
  type        = string
}

variable "budget" {
  description = "Monthly amount to be told about, and the account that pays; null for no budget."
  type = object({
    amount          = number
    billing_account = string
    currency        = string
  })
  default = null

  validation {
    condition     = var.budget == null || try(var.budget.amount > 0 && floor(var.budget.amount) == var.budget.amount, false)
    error_message = "The amount is a whole number above 0."
  }
}

variable "database" {
  description = "Id of the Firestore database."
  type        = string
}

variable "gate_waiting_h" {
  description = "Hours that a gate may wait before somebody is told."
  type        = number
  default     = 72

  validation {
    condition     = var.gate_waiting_h > 0
    error_message = "At least a moment."
  }
}

variable "labels" {
  description = "Labels of all policies."
  type        = map(string)
  default     = {}
}

variable "notification_channels" {
  description = "Full names of the channels that are told. Without one, alerts are seen in the console only."
  type        = list(string)
  default     = []
}

variable "prefix" {
  description = "Name of the deployment."
  type        = string
}

variable "project_id" {
  description = "Project."
  type        = string
}

variable "project_number" {
  description = "The project's number, which budgets go by."
  type        = string
}

variable "runbook_url" {
  description = "Page whose sections say what to do, such as #dead-letters."
  type        = string
}

variable "services" {
  description = "Names of all Cloud Run services of the deployment."
  type        = set(string)
}

variable "subscriptions" {
  description = "Names of all push subscriptions of the deployment."
  type        = set(string)
}
