"""How the store speaks to Firestore.

It uses the generated client, not `google.cloud.firestore.Client`: only there can a write verify a document without
changing it, and more than half of the handwritten client's time goes into wrapping messages (measured on the emulator:
0.9 ms in place of 2.1 for a load of four documents, 1.0 in place of 1.8 for a commit of three).
"""
