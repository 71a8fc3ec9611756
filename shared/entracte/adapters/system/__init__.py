"""What this computer gives: the time, environment variables."""
