"""Entracte runs AI agents on Google Cloud Functions so that a pause costs nothing and a mistake can be undone."""

import logging

# Each retry is told in our own words. Without a handler, Python would print stamina's, which say nothing alone.
logging.getLogger("stamina").addHandler(logging.NullHandler())
