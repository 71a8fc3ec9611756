"""``python -m crm.demo``: starts the demo (`crm.three_requests`)."""

import sys


def main() -> None:
    """Run it. It is imported in here: Ctrl-C may come meanwhile, and leaves no traceback."""
    try:
        from typer import run

        from crm.three_requests import demonstrate

        run(demonstrate)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
