"""Sweep as an HTTP function that a scheduler's subscription calls, and that dead letters come to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from entracte.core.messages import Message
from entracte.runtime.deployed import deployed
from entracte.runtime.doors.function import Answer, push_function, set_up
from entracte.runtime.doors.pushed import guard_of
from entracte.runtime.engine.giving_up import give_up
from entracte.runtime.loading import network_of
from entracte.runtime.upkeep.alerting import tell_how_long_gates_wait
from entracte.runtime.upkeep.sweep import Sweep

if TYPE_CHECKING:
    from flask import Request


def sweep_function() -> Callable[[Request], Answer]:
    """The function that a scheduler calls to look at what is due, and that dead letters come to.

    Raises:
        ConfigurationError: A setting or the network cannot be used, or anybody's messages would be taken.
    """
    settings = set_up()
    runtime = deployed(network_of(settings), settings)
    sweep = Sweep(runtime.engine, runtime.bus)

    def handle(message: Message) -> str:
        if message.kind == "sweep":
            looked_at = sweep.run()
            tell_how_long_gates_wait(runtime.engine.repository, runtime.clock.now())
            return f"looked at {looked_at}"
        return give_up(runtime.engine, message, f"A message of kind {message.kind} came back too often.")

    return push_function("sweep", handle, guard_of(settings, runtime.clock), runtime)
