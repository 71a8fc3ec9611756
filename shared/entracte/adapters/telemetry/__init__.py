"""OpenTelemetry. Needs the extra ``telemetry``, and is imported only where traces are sent somewhere."""
