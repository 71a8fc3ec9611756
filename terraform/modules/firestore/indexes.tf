locals {
  listed = yamldecode(file("${path.module}/../../../infra/firestore/indexes.yaml"))

  # A key that is no plain identifier is quoted, as Firestore has it: metadata.`my-key`.
  metadata = flatten([
    for key in var.metadata_keys : [
      for entry in local.listed.metadata : merge(entry, {
        fields = [
          for field in entry.fields :
          replace(field, "KEY", can(regex("^[A-Za-z_][A-Za-z0-9_]*$", key)) ? key : "`${key}`")
        ]
      })
    ]
  ])

  entries = distinct(concat(
    flatten(values(local.listed.queries)),
    flatten(values(local.listed.client)),
    local.metadata,
  ))

  composite = {
    for entry in local.entries :
    "${entry.collection} ${entry.scope} ${join(", ", entry.fields)}" => entry if length(entry.fields) > 1
  }

  # Several scopes of one field are one setting of that field.
  single = {
    for entry in local.entries :
    "${entry.collection} ${split(" ", entry.fields[0])[0]}" => {
      collection = entry.collection
      field      = split(" ", entry.fields[0])[0]
      mode       = try(split(" ", entry.fields[0])[1], "asc")
      scope      = entry.scope
    }... if length(entry.fields) == 1
  }

  orders = { asc = "ASCENDING", desc = "DESCENDING" }
}

resource "google_firestore_index" "composite" {
  for_each = local.composite

  project     = var.project_id
  database    = google_firestore_database.this.name
  collection  = each.value.collection
  query_scope = each.value.scope

  dynamic "fields" {
    for_each = each.value.fields

    content {
      field_path   = split(" ", fields.value)[0]
      order        = lookup(local.orders, try(split(" ", fields.value)[1], "asc"), null)
      array_config = endswith(fields.value, " contains") ? "CONTAINS" : null

      dynamic "vector_config" {
        for_each = endswith(fields.value, " vector") ? [local.listed.dimensions] : []

        content {
          dimension = vector_config.value
          flat {}
        }
      }
    }
  }
}

# No field of these collections is indexed …
resource "google_firestore_field" "exempt" {
  for_each = toset(local.listed.exempt)

  project    = var.project_id
  database   = google_firestore_database.this.name
  collection = each.value
  field      = "*"

  index_config {}
}

# … but these.
resource "google_firestore_field" "indexed" {
  for_each = local.single

  project    = var.project_id
  database   = google_firestore_database.this.name
  collection = each.value[0].collection
  field      = each.value[0].field

  index_config {
    dynamic "indexes" {
      for_each = distinct(each.value)

      content {
        query_scope  = indexes.value.scope
        order        = lookup(local.orders, indexes.value.mode, null)
        array_config = indexes.value.mode == "contains" ? "CONTAINS" : null
      }
    }
  }
}
