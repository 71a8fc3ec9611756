"""Keys and tokens by the marks that their makers give them.

Each prefix is the vendor's own, chosen by them so that leaked keys can be found; most are listed at
https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns.
"""

from __future__ import annotations

import re

KEY = re.compile(
    r"""
      -----BEGIN\ [A-Z ]{0,20}PRIVATE\ KEY-----.{1,20000}?-----END\ [A-Z ]{0,20}PRIVATE\ KEY-----
    | (?<![A-Za-z0-9_-]) (?:
          sk-[A-Za-z0-9_-]{20,250}                         # OpenAI, Anthropic and others
        | (?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,250}   # Stripe
        | whsec_[A-Za-z0-9+/=]{16,250}                     # webhooks
        | (?:AKIA|ASIA)[0-9A-Z]{16}                        # AWS
        | AIza[0-9A-Za-z_-]{35}                            # Google
        | ya29\.[0-9A-Za-z_-]{20,2000}                     # Google OAuth
        | GOCSPX-[0-9A-Za-z_-]{20,100}                     # Google OAuth client
        | gh[pousr]_[A-Za-z0-9]{36,255}                    # GitHub
        | github_pat_[A-Za-z0-9_]{22,255}
        | glpat-[A-Za-z0-9_-]{20,255}                      # GitLab
        | xox[abeprs]-[A-Za-z0-9-]{10,255}                 # Slack
        | xapp-[A-Za-z0-9-]{10,255}
        | hf_[A-Za-z0-9]{30,255}                           # Hugging Face
        | npm_[A-Za-z0-9]{36}
        | pypi-[A-Za-z0-9_-]{50,255}
        | SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}   # SendGrid
        | tvly-[A-Za-z0-9_-]{20,255}                       # Tavily
        | eyJ[A-Za-z0-9_-]{10,4000}\.eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{0,2000}  # signed tokens (JWT)
      ) (?![A-Za-z0-9_-])
    """,
    re.VERBOSE | re.DOTALL,
)
