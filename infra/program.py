"""Runs a program of this folder, or a module, in this process.

    python infra/program.py infra/check.py [ARGS…]
    python infra/program.py -m pytest [ARGS…]

As Python does it, but that Ctrl-C ends it without a traceback, also while it is still being imported: exit code 130.
"""

import sys


def main(arguments: list[str]) -> None:
    """Run it as the main program."""
    import runpy  # in here, since Ctrl-C may come while these are imported
    from pathlib import Path

    if arguments[0] == "-m":
        sys.path[0], sys.argv = str(Path.cwd()), arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        program = Path(arguments[0]).resolve()
        sys.path[0], sys.argv = str(program.parent), arguments
        runpy.run_path(str(program), run_name="__main__")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit(130)
