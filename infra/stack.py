"""Runs the product on this machine: both emulators, and each function in a process of its own.

    python3 infra/dev.py stack                     until Ctrl-C
    with Stack(network="crm:network") as stack:    in a test or script
        stack.api_url

Pub/Sub pushes to the functions as it does in Google Cloud, and Firestore tells gate_edit of edits. Whatever way this
program ends, nothing is left running.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import NoReturn, Self, get_args

import emulators
import ports
from child import Child, ChildFailed, stop_all, wait_until
from entracte.adapters.system.clock import SystemClock
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.core.messages import Kind, topic_of
from entracte.errors import ConfigurationError
from entracte.runtime.loading import load_network
from entracte.runtime.services.announcing import open_announcer
from entracte.runtime.settings import read_settings
from front_door import ACCOUNT, front_door
from function_process import Function, functions_in
from terminal import Terminal
from topics import Topics, TopicsFailed
from triggers import TriggerFailed, tell_of_updates

FUNCTIONS = Path(__file__).resolve().parent.parent / "functions"
TOPICS = sorted({topic_of(kind) for kind in get_args(Kind)})

FAULTS = (
    ConfigurationError,
    ChildFailed,
    FileNotFoundError,
    TopicsFailed,
    TriggerFailed,
    emulators.EmulatorMissing,
    ports.PortInUse,
)
"""What may go wrong that is no bug of this program. Their messages say what to do."""

_READY_TIMEOUT_S = 90
_WATCH_EVERY_S = 0.2


class Stack:
    """The running parts, from the start of a with block to its end.

    Attributes:
        addresses: ``host:port`` of each part by its name: the emulators, then the functions.
        environment: What the functions find in their environment, beside what is in ours.
        remarks: What does not work as one would expect, in words.
    """

    def __init__(
        self,
        *,
        network: str,
        functions: Path | None = FUNCTIONS,
        project: str = "demo-entracte",
        prefix: str = "entracte",
        api_port: int = 0,
        gate_edit_port: int = 0,
        firestore_port: int = 0,
        pubsub_port: int = 0,
        guarded: bool = False,
        on_line: Callable[[str, str], None] = lambda name, line: None,
    ) -> None:
        """Start nothing yet.

        Args:
            network: ``package.module:name``.
            functions: Folder that holds a folder with main.py for each function; None starts the emulators alone.
            project: Begins with ``demo-``, so that no client ever takes it for a real one.
            guarded: The phases stand behind doors that do what Cloud Run's check does, and take nothing else.
            api_port: 0 takes a free port, here as for the emulators.
            on_line: Gets the name of a function and a line of its log, from several threads.
        """
        self._folder = functions
        self._function_ports = {"api": api_port, "gate_edit": gate_edit_port}
        self._emulator_ports: dict[emulators.Name, int] = {"firestore": firestore_port, "pubsub": pubsub_port}
        self._project, self._prefix, self._guarded = project, prefix, guarded
        self._doors: dict[str, str] = {}
        self._on_line = on_line
        self._functions: dict[str, Child] = {}
        self._emulators: dict[emulators.Name, Child] = {}
        self._programs: dict[str, Function] = {}
        self._at_end = ExitStack()
        self.addresses: dict[str, str] = {}
        self.remarks: list[str] = []
        self.environment = {
            "ENTRACTE_NETWORK": network,
            "ENTRACTE_PROJECT": project,
            "ENTRACTE_TOPIC_PREFIX": prefix,
            "GOOGLE_CLOUD_PROJECT": project,
            **(
                {"ENTRACTE_BEHIND_IAM": "true", "ENTRACTE_PUSH_ACCOUNT": ACCOUNT}
                if guarded
                else {"ENTRACTE_OPERATORS": os.environ.get("ENTRACTE_USER") or "local"}  # whose machine it is
            ),
        }

    @property
    def api_url(self) -> str:
        """Where the HTTP API answers, without a slash at the end."""
        return f"http://{self.addresses['api']}"

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions."""
        return tuple(self._programs)

    def __enter__(self) -> Self:
        """Start everything and return once every part answers. If one does not, the others are stopped again.

        Raises:
            ChildFailed, EmulatorMissing, FileNotFoundError, PortInUse, TopicsFailed, TriggerFailed: Say which, and
                what to do.
        """
        try:
            functions = functions_in(self._folder, wanted_ports=self._function_ports) if self._folder else []
            self._doors = {function.name: self._open_door(function) for function in functions}
            if api := [function.address for function in functions if function.name == "api"]:
                # Notices and answers to MCP clients say where people decide.
                self.environment["ENTRACTE_PUBLIC_URL"] = os.environ.get("ENTRACTE_PUBLIC_URL") or f"http://{api[0]}"
            ready = self._launch_emulators() | self._launch_functions(functions)
            wait_until(ready, timeout_s=_READY_TIMEOUT_S)
            self._connect(functions)
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
            for child in (*self._emulators.values(), *self._functions.values()):
                if child.ended:
                    raise child.failure("ended")
            time.sleep(_WATCH_EVERY_S)

    def part(self, name: str) -> Child:
        """The process of a function, or of an emulator that was started here, to be hurt.

        Raises:
            KeyError: There is none.
        """
        for emulator, child in self._emulators.items():
            if f"{emulator} emulator" == name:
                return child
        return self._functions[name]

    def start_again(self, name: str) -> None:
        """Start a function that was killed, at the address that it had. It answers a little later."""
        self._launch_function(self._programs[name])

    def restart_firestore(self, export: Path) -> None:
        """Kill the emulator and start it with what an export holds; return when it answers.

        Args:
            export: The file ``….overall_export_metadata``.
        """
        self._emulators["firestore"].kill()
        port = int(self.addresses["firestore emulator"].rpartition(":")[2])
        emulator = emulators.launch(
            "firestore", port=port, arguments=[*self._told("firestore"), f"--import-data={export}"]
        )
        assert emulator.child is not None
        self._emulators["firestore"] = emulator.child
        wait_until({emulator.child: emulator.answers}, timeout_s=_READY_TIMEOUT_S)
        if "gate_edit" in self._functions:
            self._tell_gate_edit()

    def _open_door(self, function: Function) -> str:
        """Address that a function is called at by the emulators: its own where nothing stands before it."""
        return self._at_end.enter_context(front_door(function.address)) if self._guarded else function.address

    def _launch_emulators(self) -> dict[Child, Callable[[], bool]]:
        """Attach to them or begin to start them; gives what tells that those are ready."""
        ready: dict[Child, Callable[[], bool]] = {}
        for name, port in self._emulator_ports.items():
            told = self._told(name)
            emulator = emulators.attached(name) or emulators.launch(name, port=port, arguments=told)
            if told and emulator.child is None:
                self.remarks.append(
                    f"Edits of gates in the Firestore emulator at {emulator.address} are not delivered, unless it was "
                    f"started with {told[0]} (--gate-edit-port gives the stack a fixed port)."
                )
            self.addresses[f"{name} emulator"] = emulator.address
            self.environment[emulators.host_variable(name)] = emulator.address
            if emulator.child is not None:
                self._emulators[name] = emulator.child
                ready[emulator.child] = emulator.answers
        return ready

    def _told(self, name: emulators.Name) -> list[str]:
        """Arguments of an emulator: Firestore's is told where gate_edit is."""
        gate_edit = self._doors.get("gate_edit", "")
        return [f"--functions_emulator={gate_edit}"] if gate_edit and name == "firestore" else []

    def _launch_functions(self, functions: list[Function]) -> dict[Child, Callable[[], bool]]:
        """Begin to start them; gives what tells that they are ready."""
        return {self._launch_function(function): function.answers for function in functions}

    def _launch_function(self, function: Function) -> Child:
        folder = self._at_end.enter_context(tempfile.TemporaryDirectory(prefix="entracte-"))
        child = function.launch(self.environment, Path(folder), self._on_line)
        self._programs[function.name], self._functions[function.name] = function, child
        self.addresses[function.name] = function.address
        return child

    def _connect(self, functions: list[Function]) -> None:
        """Have messages pushed to the function of their kind, and gate_edit told of edits."""
        pubsub = self.environment[emulators.host_variable("pubsub")]
        topics = Topics(emulator=pubsub, project=self._project, prefix=self._prefix)
        for kind in TOPICS:
            topics.create(kind)
        for function in functions:
            if function.name in TOPICS:
                topics.push(function.name, f"http://{self._doors[function.name]}/")
                # An emulator that we attached to goes on, and would push to nobody for ever.
                self._at_end.callback(topics.unsubscribe, function.name)
            elif function.name == "gate_edit":
                self._tell_gate_edit()

    def _tell_gate_edit(self) -> None:
        firestore = self.environment[emulators.host_variable("firestore")]
        tell_of_updates(firestore, project=self._project, name="gate_edit", documents="gates/{gate}")

    def _stop(self) -> None:
        """The functions first, so that what they are at can end well."""
        try:
            stop_all([*self._functions.values()])
            with suppress(TopicsFailed):  # the emulator may have ended before us
                self._at_end.close()
        finally:
            stop_all([*self._emulators.values()])


def main(argv: list[str], functions: Path = FUNCTIONS) -> int:
    """Run until Ctrl-C or SIGTERM (exit code 0), or until a part fails (1)."""
    parser = argparse.ArgumentParser(prog="stack", description="Run the functions and the emulators on this machine.")
    network = os.environ.get("ENTRACTE_NETWORK") or "crm:network"
    parser.add_argument("--network", default=network, metavar="MODULE:NAME", help="network to serve (%(default)s)")
    parser.add_argument("--project", default="demo-entracte", metavar="ID", help="project id (%(default)s)")
    port = partial(parser.add_argument, type=int, metavar="PORT")
    port("--api-port", default=8080, help="of the API; 0 takes a free one (%(default)s)")
    port("--gate-edit-port", default=0, help="of gate_edit, for an emulator that runs already (a free one)")
    port("--firestore-port", default=0, help="of the Firestore emulator (a free one)")
    port("--pubsub-port", default=0, help="of the Pub/Sub emulator (a free one)")
    parser.add_argument("--only-emulators", action="store_true", help="start no functions")
    options = parser.parse_args(argv)
    terminal = Terminal()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell script's background jobs ignore it
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as it is under nohup
        signal.signal(signal.SIGHUP, signal.default_int_handler)
    stack = Stack(
        network=options.network,
        functions=None if options.only_emulators else functions,
        project=options.project,
        api_port=options.api_port,
        gate_edit_port=options.gate_edit_port,
        firestore_port=options.firestore_port,
        pubsub_port=options.pubsub_port,
        guarded=os.environ.get("ENTRACTE_AUTH", "loopback") != "loopback",
        on_line=terminal.line,
    )
    try:
        if not options.only_emulators:
            # Told once here, where each function would say it.
            load_network(options.network)
            open_announcer(read_settings(), EnvironmentSecrets({}), SystemClock())
        with stack:
            terminal.show(stack.addresses, stack.environment)
            for remark in stack.remarks:
                terminal.say(f"{remark}\n")
            stack.watch()
    except KeyboardInterrupt:
        terminal.say("\nStopped.")
        return 0
    except FAULTS as fault:
        terminal.fail(str(fault))
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
