"""The contributor's commands.

  setup           make .venv from infra/requirements.lock; nothing is done when it is up to date
  demo  [ARGS…]   run the sample network
  test  [ARGS…]   run the tests; ARGS go to pytest
  check           format, lint, types, layers, and the rules that files keep
  stack [ARGS…]   run the functions and the emulators on this machine
  bench [ARGS…]   measure
  prove [ARGS…]   play every pair of faults (infra/guide/reliability.md); hours, or minutes of a small scenario
  chaos [ARGS…]   run many runs while processes are killed (infra/guide/reliability.md); some minutes
  bundle [ARGS…]  make the source zip of each function, for Terraform
  lock  [ARGS…]   remake infra/requirements.lock after a change of pyproject.toml; ARGS go to uv (--upgrade)

Nothing but Python 3.11 or newer need be installed. Every command but lock sets up first, then runs in .venv, from the
root of the repository.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - an older Python must get as far as this line
    sys.exit("Entracte needs Python 3.11 or newer; this is {}.{}: {}".format(*sys.version_info[:2], sys.executable))

COMMANDS = {
    "demo": ["-m", "crm.demo"],
    "test": ["-m", "pytest", "-n", "auto"],
    "check": ["infra/check.py"],
    "stack": ["infra/stack.py"],
    "bench": ["infra/bench/main.py"],
    "prove": ["infra/prove.py"],
    "chaos": ["infra/chaos/chaos.py"],
    "bundle": ["infra/bundle.py"],
    "lock": ["infra/lock.py"],
}


def main(argv: list[str]) -> None:
    """Run one command; its process takes this one's place, so signals and exit codes are its own."""
    import argparse  # in here, since Ctrl-C may come while these are imported
    import os

    from environment import PYTHON, ROOT, set_up

    parser = argparse.ArgumentParser(
        prog="dev.py",
        usage="python3 infra/dev.py COMMAND [ARGS…]",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=["setup", *COMMANDS], metavar="COMMAND", help=argparse.SUPPRESS)
    # The rest is the command's own: argparse would take -h and -x for itself.
    command, arguments = parser.parse_args(argv[:1]).command, argv[1:]
    os.chdir(ROOT)
    if command == "setup":
        if arguments:
            parser.error(f"setup takes no arguments: {' '.join(arguments)}")
        set_up()
        print(f"ready: {PYTHON.relative_to(ROOT)}")
        return
    if command == "lock":  # A lock that cannot be installed is remade too.
        python = sys.executable
    else:
        set_up()
        python = str(PYTHON)
    sys.stdout.flush()
    os.execv(python, [python, "infra/program.py", *COMMANDS[command], *arguments])


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:  # while setting up; the next command goes on where this one stopped
        print("\nInterrupted.", file=sys.stderr)
        sys.exit(130)
