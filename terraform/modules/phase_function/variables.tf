variable "build" {
  description = "Where images are kept (projects/P/locations/L/repositories/R), and the account that builds them (projects/P/serviceAccounts/E)."
  type = object({
    repository      = string
    service_account = string
  })
}

variable "description" {
  description = "One sentence for the console."
  type        = string
}

variable "entry_point" {
  description = "Name of the function in main.py."
  type        = string
}

variable "invokers" {
  description = "Who may call it: IAM members of service accounts, each under a name of your choice."
  type        = map(string)

  validation {
    condition     = length(setintersection(values(var.invokers), ["allUsers", "allAuthenticatedUsers"])) == 0
    error_message = "A phase function is never open to everybody."
  }
}

variable "kms_key" {
  description = "Key that encrypts source and image; null for Google's own."
  type        = string
  default     = null
}

variable "labels" {
  description = "Labels of the function."
  type        = map(string)
  default     = {}
}

variable "name" {
  description = "Name of the function and of its Cloud Run service."
  type        = string

  validation {
    condition     = can(regex("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$", var.name))
    error_message = "Lower-case letters, digits and hyphens, at most 63."
  }
}

variable "network" {
  description = "VPC that outgoing requests go through; egress is ALL_TRAFFIC or PRIVATE_RANGES_ONLY. Null for none."
  type = object({
    network    = string
    subnetwork = string
    egress     = string
  })
  default = null
}

variable "project_id" {
  description = "Project."
  type        = string
}

variable "region" {
  description = "Region."
  type        = string
}

variable "runtime" {
  description = "Such as python313."
  type        = string
}

variable "service_account_email" {
  description = "Account that the function runs as."
  type        = string
}

variable "settings" {
  description = "Environment variables. No secrets: they stand in the state, and in the console."
  type        = map(string)
}

variable "size" {
  description = "Of one instance, and how many there may be. concurrency is also the number of threads."
  type = object({
    concurrency   = number
    cpu           = string
    max_instances = number
    memory        = string
    min_instances = number
  })

  validation {
    condition     = var.size.concurrency == 1 || tonumber(var.size.cpu) >= 1
    error_message = "Cloud Run wants at least one CPU for more than one request at a time."
  }
  validation {
    condition     = var.size.min_instances <= var.size.max_instances
    error_message = "min_instances is above max_instances."
  }
}

variable "source_zip" {
  description = "Bucket and object of the source. The object's name holds its hash, so that new bytes are a new deployment."
  type = object({
    bucket = string
    object = string
  })
}

variable "timeout_s" {
  description = "Seconds that one request may take; at most 540 where a trigger calls it."
  type        = number
  default     = 540

  validation {
    condition     = var.timeout_s >= 60 && var.timeout_s <= (var.trigger == null ? 599 : 540)
    error_message = "Below the ack deadline of 600 s; at most 540 s for a function with a trigger."
  }
}

variable "trigger" {
  description = "Firestore events that call it; region is where the database lives. Null for a function that is called by push."
  type = object({
    database              = string
    document              = string
    event_type            = string
    region                = string
    service_account_email = string
  })
  default = null
}
