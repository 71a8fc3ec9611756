"""Policy manifests that the command line writes."""
