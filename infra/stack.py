"""Runs the product on this machine: both emulators, and each function in a process of its own.

    python3 infra/dev.py stack                     until Ctrl-C
    with Stack(network="crm:network") as stack:    in a test or script
        stack.api_url

Pub/Sub pushes to the functions as it does in Google Cloud. Whatever way this program ends, nothing is left running.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self, get_args

import emulators
import ports
from child import Child, ChildFailed, stop_all, wait_until
from entracte.core.messages import Kind
from terminal import Terminal
from topics import Topics, TopicsFailed

ROOT = Path(__file__).resolve().parent.parent
KINDS: tuple[Kind, ...] = get_args(Kind)

_READY_TIMEOUT_S = 90
_WATCH_EVERY_S = 0.2
_THREADS = 8
"""Requests that one function serves at a time. Pub/Sub's emulator sends two; people may ask the api for more."""

FAULTS = (ChildFailed, emulators.EmulatorMissing, ports.PortInUse, TopicsFailed)
"""What may go wrong that is not a bug of this program. Their messages say what to do."""


class Stack:
    """The running parts, from the start of a with block to its end.

    Attributes:
        addresses: ``host:port`` of each part by its name: the emulators, then the functions.
        environment: What the functions find in their environment, beside what is in ours.
    """

    def __init__(
        self,
        *,
        network: str,
        functions: Path | None = ROOT / "functions",
        project: str = "demo-entracte",
        prefix: str = "entracte",
        api_port: int = 0,
        firestore_port: int = 0,
        pubsub_port: int = 0,
        on_line: Callable[[str, str], None] = lambda name, line: None,
    ) -> None:
        """Start nothing yet.

        Args:
            network: ``package.module:name``.
            functions: Folder that holds a folder with main.py for each function; None starts the emulators alone.
            project: Begins with ``demo-``, so that no client ever takes it for a real one.
            api_port: 0 takes a free port, here as for the emulators.
            on_line: Gets the name of a function and a line of its log, from several threads.
        """
        mains = sorted(functions.glob("*/main.py")) if functions else []
        if functions and not mains:
            raise FileNotFoundError(f"There is no function under {functions}: no folder with a main.py.")
        self._mains = {main.parent.name: main for main in mains}
        self._network, self._project, self._prefix = network, project, prefix
        self._emulator_ports: dict[emulators.Name, int] = {"firestore": firestore_port, "pubsub": pubsub_port}
        self._api_port = api_port
        self._on_line = on_line
        self._children: list[Child] = []
        self._at_end = ExitStack()
        self.addresses: dict[str, str] = {}
        self.environment: dict[str, str] = {}

    @property
    def api_url(self) -> str:
        """Where the HTTP API answers, without a slash at the end."""
        return f"http://{self.addresses['api']}"

    def __enter__(self) -> Self:
        """Start everything and return once every part answers.

        Raises:
            EmulatorMissing, PortInUse, ChildFailed, TopicsFailed: A part did not start; the others are stopped again.
        """
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop()

    def watch(self) -> NoReturn:
        """Stay until a part ends by itself.

        Raises:
            ChildFailed: Always; shows the tail of that part's log.
        """
        while True:
            for child in self._children:
                if child.ended:
                    raise child.failure("ended")
            time.sleep(_WATCH_EVERY_S)

    def _start(self) -> None:
        remedy = "Stop that process, or choose another with --api-port."
        listen = {
            name: ports.claim(self._api_port if name == "api" else 0, purpose=name, remedy=remedy)
            for name in self._mains
        }
        ready: dict[Child, Callable[[], bool]] = {}
        for emulator_name, port in self._emulator_ports.items():
            # The Firestore trigger of gate_edit belongs here: launch Firestore with the argument
            # --functions_emulator={address of gate_edit}, and register the trigger once it answers.
            emulator = emulators.attached(emulator_name) or emulators.launch(emulator_name, port=port)
            self.addresses[f"{emulator_name} emulator"] = emulator.address
            self.environment[emulators.host_variable(emulator_name)] = emulator.address
            if emulator.child is not None:
                ready[emulator.child] = emulator.answers
                self._children.append(emulator.child)
        self.environment |= {
            "ENTRACTE_NETWORK": self._network,
            "ENTRACTE_PROJECT": self._project,
            "ENTRACTE_TOPIC_PREFIX": self._prefix,
            "GOOGLE_CLOUD_PROJECT": self._project,
        }
        runtime_folder = Path(self._at_end.enter_context(tempfile.TemporaryDirectory(prefix="entracte-")))
        for name, port in listen.items():
            self.addresses[name] = f"{ports.LOOPBACK}:{port}"
            child = self._launch(name, port, runtime_folder / name)
            ready[child] = partial(ports.answers, self.addresses[name])
            self._children.append(child)
        wait_until(ready, timeout_s=_READY_TIMEOUT_S)
        self._connect()

    def _launch(self, name: str, port: int, runtime_folder: Path) -> Child:
        """Start a function as Google Cloud's buildpack does."""
        runtime_folder.mkdir()
        paths = [str(ROOT / "shared"), str(Path.cwd()), os.environ.get("PYTHONPATH", "")]
        return Child(
            name,
            [sys.executable, "-m", "functions_framework", "--source", self._mains[name], "--target", name],
            env={
                **os.environ,
                **self.environment,
                "HOST": ports.LOOPBACK,
                "PORT": str(port),
                "THREADS": str(_THREADS),
                "PYTHONPATH": os.pathsep.join(filter(None, paths)),
                "PYTHONUNBUFFERED": "1",
                # Each gunicorn puts a control socket there, all of the same name.
                "XDG_RUNTIME_DIR": str(runtime_folder),
            },
            on_line=partial(self._on_line, name),
        )

    def _connect(self) -> None:
        """Make a topic for each kind of message, and have it pushed to the function of that name."""
        pubsub = emulators.host_variable("pubsub")
        topics = Topics(emulator=self.environment[pubsub], project=self._project, prefix=self._prefix)
        for kind in KINDS:
            topics.create(kind)
            if kind in self._mains:
                topics.push(kind, f"http://{self.addresses[kind]}/")
                if pubsub in os.environ:  # an emulator that goes on when we end would push to nobody
                    self._at_end.callback(topics.unsubscribe, kind)

    def _stop(self) -> None:
        try:
            stop_all(self._children)
        finally:
            self._at_end.close()


def main(argv: list[str], functions: Path = ROOT / "functions") -> int:
    """Run until Ctrl-C or SIGTERM (exit code 0), or until a part fails (1)."""
    parser = argparse.ArgumentParser(prog="stack", description="Run the functions and the emulators on this machine.")
    network = os.environ.get("ENTRACTE_NETWORK") or "crm:network"
    parser.add_argument("--network", default=network, metavar="MODULE:NAME", help="network to serve (%(default)s)")
    parser.add_argument("--project", default="demo-entracte", metavar="ID", help="project id (%(default)s)")
    port = partial(parser.add_argument, type=int, metavar="PORT")
    port("--api-port", default=8080, help="of the API; 0 takes a free one (%(default)s)")
    port("--firestore-port", default=0, help="of the Firestore emulator (a free one)")
    port("--pubsub-port", default=0, help="of the Pub/Sub emulator (a free one)")
    parser.add_argument("--only-emulators", action="store_true", help="start no functions")
    options = parser.parse_args(argv)
    terminal = Terminal()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        stack = Stack(
            network=options.network,
            functions=None if options.only_emulators else functions,
            project=options.project,
            api_port=options.api_port,
            firestore_port=options.firestore_port,
            pubsub_port=options.pubsub_port,
            on_line=terminal.line,
        )
        with stack:
            terminal.show(stack.addresses, stack.environment)
            stack.watch()
    except KeyboardInterrupt:
        terminal.say("Stopped.")
        return 0
    except (*FAULTS, FileNotFoundError) as fault:
        terminal.fail(str(fault))
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
