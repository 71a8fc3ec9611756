"""Model services as fakes that speak their real wire protocols, told by one script what to say."""
