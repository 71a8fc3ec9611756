variable "audit_logs" {
  description = "Write an audit log entry for each change of a document, of any database of the project."
  type        = bool
  default     = true
}

variable "deletion_protection" {
  description = "Refuse to delete the database."
  type        = bool
  default     = true
}

variable "kms_key" {
  description = "Key that encrypts the database, in its location; null for Google's own. Cannot be changed later."
  type        = string
  default     = null
}

variable "location" {
  description = "Where the database lives: a region, or eur3 or nam5. Cannot be changed later."
  type        = string
}

variable "metadata_keys" {
  description = "Keys of run metadata by which runs may be listed. Each costs an index."
  type        = set(string)
  default     = []

  validation {
    condition     = alltrue([for key in var.metadata_keys : can(regex("^[A-Za-z0-9_-]{1,64}$", key))])
    error_message = "Letters, digits, _ and -, at most 64."
  }
}

variable "name" {
  description = "Id of the database. Not (default): that one is shared with whatever else the project has."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{2,61}[a-z0-9]$", var.name))
    error_message = "Lower-case letters, digits and hyphens, 4 to 63, beginning with a letter."
  }
}

variable "project_id" {
  description = "Project."
  type        = string
}

variable "users" {
  description = "Who may read and write documents: IAM members of service accounts, each under a name of your choice."
  type        = map(string)

  validation {
    condition     = alltrue([for member in values(var.users) : startswith(member, "serviceAccount:")])
    error_message = "Service accounts only."
  }
}
