"""Start the demo (`crm.demo`); Ctrl-C ends it without a traceback, also while it is still being imported."""

import sys

try:
    from typer import run

    from crm.demo import main

    run(main)
except KeyboardInterrupt:
    sys.exit(130)
