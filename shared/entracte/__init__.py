"""Entracte runs AI agents on Google Cloud Functions so that a pause costs nothing and a mistake can be undone."""
