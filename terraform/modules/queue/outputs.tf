output "subscription" {
  description = "Id of the subscription."
  value       = google_pubsub_subscription.this.id
}

output "topic" {
  description = "Full name of the topic, projects/P/topics/T."
  value       = google_pubsub_topic.this.id
}

output "ack_deadline_s" {
  description = "Seconds that a push may take."
  value       = google_pubsub_subscription.this.ack_deadline_seconds
}

output "forwards_dead_letters" {
  description = "Whether Pub/Sub may move what could not be delivered."
  value = (
    length(google_pubsub_subscription.this.dead_letter_policy) == 1
    && length(google_pubsub_subscription_iam_member.forwarder) == 1
  )
}

output "publishers" {
  description = "Who may publish."
  value       = { for name, grant in google_pubsub_topic_iam_member.publisher : name => grant.member }
}
