locals {
  # Those that tell people of gates.
  announcing = ["approve", "evaluate", "execute", "plan", "sweep", "undo"]

  # Keys that nobody needs to know: made here, and never seen again.
  generated = {
    ENTRACTE_LINK_KEY       = ["api", "approve"]
    ENTRACTE_MASK_KEY       = ["api", "approve", "evaluate", "execute", "mcp", "memorize", "plan", "sweep", "undo"]
    ENTRACTE_WEBHOOK_SECRET = local.announcing
  }

  # Addresses of chats, which NOTIFY names as slack+secret:NAME.
  addresses = toset(flatten(regexall("\\+secret:([A-Z][A-Z0-9_]*)", lookup(var.settings, "NOTIFY", ""))))

  # Those that the deployer gives values to; ENTRACTE_API_KEYS has hashes, added by whoever hands out keys.
  given = merge(
    var.secrets,
    { for name in local.addresses : name => setunion(lookup(var.secrets, name, []), local.announcing) },
    contains(var.sign_in.with, "keys") ? { ENTRACTE_API_KEYS = toset(["api", "mcp"]) } : {},
  )

  readers = merge([
    for secret, functions in merge(local.generated, local.given) : {
      for function in functions : "${secret} ${function}" => { secret = secret, function = function }
      if contains(keys(local.functions), function)
    }
  ]...)
}

# Without a value. Functions read the newest version through the secrets port when they need it; nothing is mounted, so
# that a key is rotated without a deployment.
resource "google_secret_manager_secret" "this" {
  for_each = merge(local.generated, local.given)

  project             = var.project_id
  secret_id           = "${var.prefix}-${each.key}"
  labels              = local.labels
  version_destroy_ttl = "${7 * 24 * 3600}s" # a version destroyed by mistake can be brought back
  deletion_protection = var.deletion_protection

  replication {
    user_managed {
      replicas {
        location = var.region

        dynamic "customer_managed_encryption" {
          for_each = var.kms_keys.regional[*]

          content {
            kms_key_name = customer_managed_encryption.value
          }
        }
      }
    }
  }

  depends_on = [google_project_service.this, terraform_data.keys_granted]
}

# Write-only: in no state and no plan. uuid() has 122 random bits each time; it is asked anew with each plan, and sent
# only when generated_keys_version changes. (An ephemeral random_password would need another provider.)
resource "google_secret_manager_secret_version" "generated" {
  for_each = local.generated

  secret         = google_secret_manager_secret.this[each.key].id
  secret_data_wo = base64sha256("${uuid()}${uuid()}${uuid()}")
  # The key that masked values are sealed with is never replaced: a new one goes before it, by hand, as "new,old".
  secret_data_wo_version = each.key == "ENTRACTE_MASK_KEY" ? "1" : tostring(var.generated_keys_version)
  deletion_policy        = "ABANDON" # what was sealed or signed with an old key must still be readable
}

resource "google_secret_manager_secret_iam_member" "reader" {
  for_each = local.readers

  project   = var.project_id
  secret_id = google_secret_manager_secret.this[each.value.secret].secret_id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.function[each.value.function].member
}
