"""Google Cloud: Firestore, Pub/Sub."""
