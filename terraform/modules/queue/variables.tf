variable "dead_letters" {
  description = "Topic that takes what could not be delivered after 100 attempts; null to try until the message is too old."
  type        = object({ topic = string })
  default     = null
}

variable "endpoint" {
  description = "URL of the function that messages are pushed to, its run.app address. Also the audience of the token."
  type        = string
}

variable "function_timeout_s" {
  description = "Seconds after which the function gives up. Must be below the ack deadline, 600 s."
  type        = number
}

variable "kms_key" {
  description = "Key that encrypts messages at rest; null for Google's own."
  type        = string
  default     = null
}

variable "labels" {
  description = "Labels of topic and subscription."
  type        = map(string)
  default     = {}
}

variable "name" {
  description = "Name of both topic and subscription."
  type        = string
}

variable "project_id" {
  description = "Project."
  type        = string
}

variable "publishers" {
  description = "Who may publish: IAM members, each under a name of your choice."
  type        = map(string)

  validation {
    condition     = length(setintersection(values(var.publishers), ["allUsers", "allAuthenticatedUsers"])) == 0
    error_message = "A queue is never open to everybody."
  }
}

variable "pubsub_agent" {
  description = "IAM member of Pub/Sub's service agent."
  type        = string
}

variable "push_account_email" {
  description = "Service account in whose name messages are pushed. It needs roles/run.invoker on the function."
  type        = string
}

variable "regions" {
  description = "Regions in which messages may be stored."
  type        = set(string)

  validation {
    condition     = length(var.regions) > 0
    error_message = "Name at least one region: without one messages are stored wherever they are published."
  }
}

variable "retention_s" {
  description = "Seconds for which a message is kept that could not be delivered."
  type        = number
  default     = 604800

  validation {
    condition     = var.retention_s >= 600 && var.retention_s <= 2678400
    error_message = "Pub/Sub keeps messages for 600 s to 31 days."
  }
}
