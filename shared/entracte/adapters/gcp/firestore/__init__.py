"""How the store speaks to Firestore.

It uses the generated client, not `google.cloud.firestore.Client`: only there can a write verify a document without
changing it, and half of the handwritten client's time goes into wrapping messages (measured on the emulator: load and
commit of four documents each take a third of the time).
"""
