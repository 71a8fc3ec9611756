"""Starts the Firestore and Pub/Sub emulators on this machine, or attaches to running ones.

    with emulators.running("firestore") as firestore:
        firestore.address  # host:port, for FIRESTORE_EMULATOR_HOST

Needs nothing but the standard library, so that tests and scripts can import it before anything is installed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import ports
from child import Child, ChildFailed, wait_until
from emulator_files import EmulatorMissing, Name, command

__all__ = [
    "ChildFailed",
    "Emulator",
    "EmulatorMissing",
    "Name",
    "attached",
    "host_variable",
    "launch",
    "running",
    "start",
]

READY_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class Emulator:
    """An emulator that answers.

    Attributes:
        address: ``host:port``.
        child: Its process; None when somebody else started it.
    """

    name: Name
    address: str
    child: Child | None = None

    def answers(self) -> bool:
        """Whether it is ready."""
        return ports.answers(self.address)

    def stop(self) -> None:
        """End it, if it was started here. Stopping twice is no error."""
        if self.child is not None:
            self.child.stop()


def host_variable(name: Name) -> str:
    """Environment variable by which Google's clients find the emulator."""
    return f"{name.upper()}_EMULATOR_HOST"


def attached(name: Name) -> Emulator | None:
    """The running emulator that the environment names, if it names one.

    Raises:
        EmulatorMissing: It does not answer.
    """
    address = os.environ.get(host_variable(name))
    if not address:
        return None
    if not ports.answers(address):
        raise EmulatorMissing(
            f"{host_variable(name)} is {address}, but nothing answers there. "
            f"Start that emulator, or unset the variable to have one started."
        )
    return Emulator(name, address)


def launch(
    name: Name, *, port: int = 0, arguments: Sequence[str] = (), on_line: Callable[[str], None] | None = None
) -> Emulator:
    """Begin to start an emulator; it does not answer yet.

    Args:
        port: 0 takes a free one.
        arguments: Further ones of the emulator, such as ``--functions_emulator=127.0.0.1:8083``.
        on_line: Gets each line of its log, from another thread.

    Raises:
        EmulatorMissing: It is not installed and could not be fetched.
        PortInUse: Somebody else has the port.
    """
    port = ports.claim(port, purpose=f"{name} emulator", remedy="Stop that process, or choose another port.")
    program = command(name, host=ports.LOOPBACK, port=port)
    child = Child(f"{name} emulator", [*program, *arguments], on_line=on_line)
    return Emulator(name, f"{ports.LOOPBACK}:{port}", child)


def start(name: Name, *, port: int = 0) -> Emulator:
    """Start an emulator and return once it answers.

    Raises:
        EmulatorMissing, PortInUse: As `launch` does.
        ChildFailed: It did not start; shows the tail of its log.
    """
    emulator = launch(name, port=port)
    assert emulator.child is not None
    try:
        wait_until({emulator.child: emulator.answers}, timeout_s=READY_TIMEOUT_S)
    except BaseException:
        emulator.stop()
        raise
    return emulator


@contextmanager
def running(name: Name, *, port: int = 0) -> Iterator[Emulator]:
    """The attached emulator, or one started for the time of the block. Raises as `attached` and `start` do."""
    emulator = attached(name) or start(name, port=port)
    try:
        yield emulator
    finally:
        emulator.stop()
