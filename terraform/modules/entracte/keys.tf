# Google's accounts that encrypt in our name. The keys themselves are somebody else's: whoever may delete the data should
# not be able to delete the key.
locals {
  encrypters = merge(
    var.kms_keys.regional == null ? {} : merge(
      {
        for service in [
          "artifactregistry.googleapis.com",
          "cloudfunctions.googleapis.com",
          "eventarc.googleapis.com",
          "pubsub.googleapis.com",
          "run.googleapis.com",
          "secretmanager.googleapis.com",
        ] : service => { key = var.kms_keys.regional, member = google_project_service_identity.agent[service].member }
      },
      {
        "storage.googleapis.com" = {
          key    = var.kms_keys.regional
          member = "serviceAccount:service-${data.google_project.this.number}@gs-project-accounts.iam.gserviceaccount.com"
        }
      },
    ),
    var.kms_keys.firestore == null ? {} : {
      "firestore.googleapis.com" = {
        key    = var.kms_keys.firestore
        member = google_project_service_identity.agent["firestore.googleapis.com"].member
      }
    },
  )
}

resource "google_kms_crypto_key_iam_member" "encrypter" {
  for_each = local.encrypters

  crypto_key_id = each.value.key
  role          = "roles/cloudkms.cryptoKeyEncrypterDecrypter"
  member        = each.value.member
}

resource "terraform_data" "keys_granted" {
  triggers_replace = [for grant in google_kms_crypto_key_iam_member.encrypter : grant.crypto_key_id]

  provisioner "local-exec" {
    command = length(local.encrypters) == 0 ? "true" : "sleep 60"
  }
}
