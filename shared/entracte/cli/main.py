"""The console script."""

import sys


def main() -> None:
    """Run the command line and end the process. It is imported in here: Ctrl-C may come meanwhile."""
    try:
        from entracte.cli.command_line import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130  # failures.INTERRUPTED, which may not be there yet
    sys.exit(code)


if __name__ == "__main__":
    main()
