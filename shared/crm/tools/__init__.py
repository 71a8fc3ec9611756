"""The tools of the support desk."""
