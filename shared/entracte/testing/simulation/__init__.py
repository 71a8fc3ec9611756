"""A network on simulated ports: deterministic, with faults wherever a port is called. `entracte.testing.simulate` is
the way in.
"""
