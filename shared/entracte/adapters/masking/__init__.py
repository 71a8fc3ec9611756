"""Finding what is masked, and sealing it. Needs the extra ``masking``."""
