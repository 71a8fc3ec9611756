mock_provider "google" {}

variables {
  location      = "eur3"
  metadata_keys = ["ticket", "order-id"]
  name          = "entracte"
  project_id    = "demo-p"
  users         = { plan = "serviceAccount:plan@demo-p.iam.gserviceaccount.com" }
}

run "the_database_can_be_restored_and_not_be_lost" {
  command = plan

  assert {
    condition = (
      google_firestore_database.this.delete_protection_state == "DELETE_PROTECTION_ENABLED"
      && google_firestore_database.this.point_in_time_recovery_enablement == "POINT_IN_TIME_RECOVERY_ENABLED"
    )
    error_message = "Delete protection and point-in-time recovery are on."
  }
  assert {
    condition = (
      google_firestore_backup_schedule.daily.retention == "604800s"
      && google_firestore_backup_schedule.weekly.retention == "8467200s"
    )
    error_message = "Daily backups for a week, weekly ones for 14."
  }
  assert {
    condition     = one(google_project_iam_audit_config.writes[0].audit_log_config).log_type == "DATA_WRITE"
    error_message = "Changes are logged."
  }

  assert {
    condition     = google_project_iam_member.user["plan"].condition[0].expression == "resource.name == \"projects/demo-p/databases/entracte\""
    error_message = "The role holds for this database only."
  }

  assert {
    condition = {
      for name, it in google_firestore_index.composite :
      name => join(", ", [for f in it.fields : "${f.field_path} ${coalesce(f.order, f.array_config)}"])
      if it.collection == "gates" && it.query_scope == "COLLECTION_GROUP"
      } == {
      "gates COLLECTION_GROUP run, created"                               = "run ASCENDING, created ASCENDING"
      "gates COLLECTION_GROUP status, created"                            = "status ASCENDING, created ASCENDING"
      "gates COLLECTION_GROUP status, decision"                           = "status ASCENDING, decision ASCENDING"
      "gates COLLECTION_GROUP z.approvers contains, status, created desc" = "z.approvers CONTAINS, status ASCENDING, created DESCENDING"
      "gates COLLECTION_GROUP z.owner, created desc"                      = "z.owner ASCENDING, created DESCENDING"
      "gates COLLECTION_GROUP z.owner, status, created desc"              = "z.owner ASCENDING, status ASCENDING, created DESCENDING"
    }
    error_message = "The indexes of gates are not those of infra/firestore/indexes.yaml."
  }
  assert {
    condition = toset([
      for it in google_firestore_index.composite : it.fields[1].field_path if startswith(it.fields[1].field_path, "metadata")
    ]) == toset(["metadata.ticket", "metadata.`order-id`"])
    error_message = "Each key of metadata has its index, quoted where Firestore wants it."
  }
  assert {
    condition = alltrue([
      for it in google_firestore_field.exempt : it.field == "*" && length(it.index_config[0].indexes) == 0
    ])
    error_message = "Fields are not indexed unless a query needs it."
  }
  assert {
    condition = {
      for name, it in google_firestore_field.indexed :
      name => [for i in it.index_config[0].indexes : "${i.query_scope} ${i.order}"]
      } == {
      "actions created"      = ["COLLECTION ASCENDING"]
      "actions due"          = ["COLLECTION_GROUP ASCENDING"]
      "artifacts updated"    = ["COLLECTION DESCENDING"]
      "chunks due"           = ["COLLECTION_GROUP ASCENDING"]
      "frames due"           = ["COLLECTION_GROUP ASCENDING"]
      "gates due"            = ["COLLECTION_GROUP ASCENDING"]
      "items created"        = ["COLLECTION DESCENDING"]
      "journal at"           = ["COLLECTION ASCENDING"]
      "latest_calls expires" = ["COLLECTION_GROUP ASCENDING"]
      "latest_calls owner"   = ["COLLECTION_GROUP ASCENDING"]
      "letters expires"      = ["COLLECTION_GROUP ASCENDING"]
      "letters last"         = ["COLLECTION_GROUP DESCENDING"]
      "live owner"           = ["COLLECTION ASCENDING"]
      "runs due"             = ["COLLECTION_GROUP ASCENDING"]
      "runs expires"         = ["COLLECTION_GROUP ASCENDING"]
      "sessions expires"     = ["COLLECTION_GROUP ASCENDING"]
      "sessions owner"       = ["COLLECTION_GROUP ASCENDING"]
      "turns number"         = ["COLLECTION ASCENDING"]
    }
    error_message = "Single fields are indexed in the scope of their queries."
  }
  assert {
    condition = [
      for f in google_firestore_index.composite["items COLLECTION persona, embedder, embedding vector"].fields :
      try(tostring(f.vector_config[0].dimension), f.order)
    ] == ["ASCENDING", "ASCENDING", "1024"]
    error_message = "Memories are found by what they mean, for one persona and one model."
  }
  assert {
    condition     = google_firebaserules_release.this.name == "cloud.firestore/entracte"
    error_message = "Rules are released for the named database."
  }
}

run "the_shared_default_database_and_users_who_are_people_are_refused" {
  command = plan
  variables {
    name  = "(default)"
    users = { everybody = "allUsers" }
  }
  expect_failures = [var.name, var.users]
}
