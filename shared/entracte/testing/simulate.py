"""Simulation of a network under faults: what users of Entracte run over their own.

    report = simulate(make_network, "Move Ada to Pro.", model=my_model)          in a test

    python -m entracte.testing.simulate --network shop.trial:network --message "Move Ada to Pro."
    python -m entracte.testing.simulate --network shop.trial:network --message "…" --seed 17         plays one again

The network runs on the real engine and phases; store, bus, clock, model and tools are simulated. At every call of
one of them something may go wrong (`entracte.testing.simulation.faults`), and after every event it is checked that
everything holds which always holds (`entracte.testing.simulation.invariants`). A seed gives the same simulation again.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from entracte.agents.models import Models
from entracte.agents.network import Network
from entracte.errors import ConfigurationError
from entracte.ports.model import Model
from entracte.testing.simulation.faults import Fault
from entracte.testing.simulation.playing import Playing
from entracte.testing.simulation.report import Report, SimulationFailed
from entracte.testing.simulation.scenario import Act, Decide, Scenario, agree

Extent = Literal["seeds", "singles", "pairs"]
"""How much is tried: what seeds choose; every single fault at every call; every pair of faults, which takes long."""


def simulate(
    network: Network | Callable[[], Network],
    message: Any,
    *,
    model: Model | None = None,
    extent: Extent = "singles",
    seeds: Iterable[int] = range(100),
    faults: Mapping[int, Fault] | None = None,
    decide: Decide = agree,
    acts: Sequence[Act] = (),
    outside: Callable[[], Any] | None = None,
) -> Report:
    """Play a run of a network again and again, with faults, and look after every event whether everything holds.

    Args:
        network: Makes the network with everything that its tools work on in its first state, once for each simulation;
            or a network whose tools remember nothing. Its tools are called for real: give it fakes.
        message: What the run is asked with: text, or the entry agent's input.
        model: Answers every request, equal ones equally; by default the network's own models, which should be scripted.
        extent: How much is tried, besides the run without faults.
        seeds: One simulation each, for the extent ``seeds``: faults, order of messages and moments at random.
        faults: Only these, by the number of the call that they strike, as a failure prints them.
        decide: What people say to a gate: ``approve``, ``deny``, the answer to a question. In doubt, the truth is told.
        acts: What the run's owner does besides: ``cancel`` at once, ``undo`` when it has closed.
        outside: Tells what the tools have made of the world, as JSON; in the end it is as it is without faults.

    Returns:
        How many simulations were played, with how many faults at how many points.

    Raises:
        SimulationFailed: Something did not hold. Its text has what, the seed or the faults, and what happened.
    """
    scenario = Scenario(
        network=network if not isinstance(network, Network) else lambda: network,
        message=message,
        model=(lambda: model) if model is not None else None,
        decide=decide,
        acts=acts,
        outside=outside,
    )
    playing = Playing(scenario)
    if faults is not None:
        return playing.each([faults])
    if extent == "seeds":
        for seed in seeds:
            playing.with_seed(seed)
        return playing.report
    for single in playing.singles():
        playing.with_faults(single)
        if extent == "pairs":
            playing.each(playing.pairs(single))
    return playing.report


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; 0 when everything held, 1 when something did not, 2 when it cannot be played."""
    given = _parser().parse_args(arguments)
    try:
        network = _network(given.network, given.model)
        report = simulate(
            network,
            given.message,
            extent=given.extent,
            seeds=[given.seed] if given.seed is not None else range(given.runs),
            faults=dict(given.fault) if given.fault else None,
            acts=given.act,
        )
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        return 2
    except SimulationFailed as failed:
        print(failed)
        return 1
    print(f"Everything held: {report}.")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m entracte.testing.simulate",
        description="Plays a run of a network with faults at every call of a port. Its tools are called for real.",
    )
    parser.add_argument("--network", required=True, help="package.module:name of a network or of what makes one")
    parser.add_argument("--message", default="Go.", help="what the run is asked with")
    parser.add_argument("--model", default="", help="in place of the network's models, such as scripted/trial.yaml")
    parser.add_argument("--extent", choices=["seeds", "singles", "pairs"], default="seeds", help="how much is tried")
    parser.add_argument("--runs", type=int, default=100, help="seeds 0 to RUNS-1 (extent seeds)")
    parser.add_argument("--seed", type=int, help="only this one")
    parser.add_argument("--fault", type=_fault, action="append", help="NUMBER:FAULT, as a failure prints it")
    parser.add_argument(
        "--act", choices=["cancel", "undo"], action="append", default=[], help="what the owner does besides"
    )
    return parser


def _fault(text: str) -> tuple[int, Fault]:
    number, _, name = text.partition(":")
    return int(number), Fault(name)


def _network(reference: str, model: str) -> Callable[[], Network]:
    """What makes the network that is named."""
    module_name, _, name = reference.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        found = getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigurationError(
            f"There is no network {reference!r}: {error}.", remedy="Name it as package.module:name."
        ) from None

    if not callable(found) and not isinstance(found, Network):
        raise ConfigurationError(f"{reference!r} is a {type(found).__name__}, not a Network or what makes one.")

    def make() -> Network:
        network = found if isinstance(found, Network) else found()
        if not isinstance(network, Network):
            raise ConfigurationError(f"{reference!r} makes a {type(network).__name__}, not a Network.")
        return network.using(models=Models(main=model)) if model else network

    return make


if __name__ == "__main__":
    sys.exit(main())
