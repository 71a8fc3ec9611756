"""The composition root: the only place where adapters meet ports."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from entracte.adapters.mcp.servers import McpServers
from entracte.adapters.python.hooks import Hook
from entracte.adapters.python.served import ServedTool
from entracte.adapters.python.tools import PythonTools
from entracte.agents.network import Network
from entracte.agents.observer import Observer
from entracte.core.calls import Call
from entracte.core.documents.gate import Gate
from entracte.core.effects import Embed, Embedded
from entracte.core.memory.spec import MemorySpec
from entracte.core.modelling import ModelReply, Question, Usage
from entracte.core.policy.listing import served_tools
from entracte.core.pricing import Prices
from entracte.core.runs.retention import RETENTION
from entracte.core.vector import Vector
from entracte.ports.bus import Bus
from entracte.ports.clock import Clock
from entracte.ports.embedder import Embedder
from entracte.ports.model import Model
from entracte.ports.secrets import Secrets
from entracte.ports.servers import Servers
from entracte.ports.shelf import Shelf
from entracte.ports.store import Store
from entracte.ports.tools import Tools
from entracte.ports.tracing import Tracing
from entracte.runtime.engine.commits import Commits
from entracte.runtime.engine.edges import Edges
from entracte.runtime.engine.engine import Engine
from entracte.runtime.engine.late import late_results
from entracte.runtime.engine.live_writing import LiveWriting, untold
from entracte.runtime.engine.observing import Observers
from entracte.runtime.engine.performing import Performer
from entracte.runtime.engine.process import Process
from entracte.runtime.engine.reporting import report_progress
from entracte.runtime.engine.repository import Repository
from entracte.runtime.engine.surveying import survey
from entracte.runtime.models import embedder_of, models_of
from entracte.runtime.once import once
from entracte.runtime.tool_contexts import OpenMemories, OpenShelf, tool_contexts

if TYPE_CHECKING:
    from entracte.adapters.models.google.cloud import Cloud
    from entracte.runtime.services.gates import Gates
    from entracte.runtime.services.linked_gates import LinkedGates
    from entracte.runtime.services.memories import StoredMemories
    from entracte.runtime.services.runs import Runs
    from entracte.runtime.services.session_state import SessionState
    from entracte.runtime.watching.run_events import RunEvents

NO_PRICES = Prices()


class Runtime(Struct, frozen=True, dict=True):
    """A network on its ports. The services are made when they are asked for: a phase needs none of them."""

    network: Network
    engine: Engine
    store: Store
    bus: Bus
    clock: Clock
    tools: Tools
    servers: Servers
    secrets_port: Secrets
    open_shelf: OpenShelf
    open_memories: OpenMemories
    send_link: Callable[[Gate, str], object]

    def __repr__(self) -> str:
        return f"Runtime({self.network.name!r})"

    @cached_property
    def runs(self) -> Runs:
        from entracte.runtime.services import runs

        return runs.Runs(self.engine, self.bus)

    @cached_property
    def events(self) -> RunEvents:
        from entracte.runtime.watching import run_events

        return run_events.RunEvents(self.engine)

    @cached_property
    def state(self) -> SessionState:
        from entracte.runtime.services import session_state

        return session_state.SessionState(self.engine)

    @cached_property
    def gates(self) -> Gates:
        from entracte.runtime.services import gates

        return gates.Gates(self.engine)

    @cached_property
    def links(self) -> LinkedGates:
        from entracte.runtime.services import linked_gates, links

        signed = links.Links(self.secrets_port, self.clock)
        return linked_gates.LinkedGates(self.engine, self.gates, signed, self.send_link)

    def close(self) -> None:
        """Let go of everything. Closing twice is no error."""
        self.bus.close()
        self.servers.close()
        self.store.close()
        if self.engine.tracing is not None:
            self.engine.tracing.close()


def compose(
    network: Network,
    *,
    store: Store,
    bus: Bus,
    clock: Clock,
    secrets_port: Secrets,
    worker: str,
    timeout_s: int = 540,
    daily_cost_micro_usd: int = 0,
    retention: timedelta | None = RETENTION,
    shares_store: bool = False,
    adopted: frozenset[str] = frozenset(),
    observers: Sequence[Observer] = (),
    announce: Callable[[Gate, bool], str] = lambda gate, reminder: "",
    send_link: Callable[[Gate, str], object] = lambda gate, approver: None,
    open_model: Callable[[str], Model] | None = None,
    embedder: Callable[[], Embedder | None] | None = None,
    cloud: Cloud | None = None,
    prices: Prices = NO_PRICES,
    servers: Servers | None = None,
    folder: Path | None = None,
    around_tools: Callable[[Tools], Tools] = lambda tools: tools,
    tracing: Tracing | None = None,
    new_token: Callable[[], str] = lambda: secrets.token_hex(16),
    pause: Callable[[int], None] = lambda race: time.sleep(random.uniform(0, min(0.5, 0.005 * 2**race))),
) -> Runtime:
    """Put a network on ports.

    Args:
        worker: Name of this process, different for every process that ever ran.
        timeout_s: Seconds that one delivery may take.
        daily_cost_micro_usd: Most that the runs of one owner may cost a day; 0 for no cap.
        retention: How long what has closed is kept; None for ever.
        shares_store: Other networks keep runs there as well: they are left to them.
        adopted: Runs to go on with all the same.
        observers: Besides the network's own.
        announce: Tells people of a gate, or reminds them; gives by which ways they were told. Nobody, by default.
        send_link: Sends one person a new signed link to a gate. Nobody, by default.
        open_model: Gives models by name, in place of the model adapters.
        embedder: Gives the embedding model, in place of the network's own.
        cloud: Where models on Vertex AI are asked. Nowhere, by default.
        prices: What models cost. Nobody knows, by default.
        servers: Those of the network's manifest, if they are open already.
        folder: What `data_folder` gives to the network's `deps`; None leaves it to find one.
        around_tools: Puts something in front of the tools.
        tracing: Is told what is done, in spans; nobody by default.
    """
    process = Process(
        worker=worker,
        timeout=timedelta(seconds=timeout_s),
        new_token=new_token,
        pause=pause,
        daily_cost_micro_usd=daily_cost_micro_usd,
        retention=retention,
        only_network=network.name if shares_store else "",
        adopted=adopted,
    )
    repository = Repository(store, clock.now)
    edges = _edges(network, store, repository, secrets_port, clock)
    servers = servers or _servers(network, secrets_port, clock)

    def open_shelf(session: str, owner: str, *, opens: bool = False) -> Shelf:
        from entracte.runtime.services.shelf import (
            StoredShelf,  # only for networks that ask for artifacts, and for people
        )

        stored = StoredShelf(repository, clock, pause, session=session, owner=owner)
        return edges.shelf(stored, owner, opens=opens)

    holds_back = any(_changes(hook, "after_tool") for hook in network.harness)

    def report(call: Call, text: str) -> bool:
        said = edges.withholding.mask(call.user, text)
        return not holds_back and report_progress(engine, call, said)

    open_embedder = once(embedder or (lambda: embedder_of(network, secrets_port, cloud)))

    def open_memories(owner: str) -> StoredMemories:
        from entracte.runtime.services.memories import StoredMemories  # only for networks that remember, and for people

        return StoredMemories(
            repository,
            clock,
            pause,
            owner=owner,
            spec=network.memory or MemorySpec(),
            embedder=open_embedder,
            embedder_name=network.blueprint.roles.embed,
            mask=lambda text: edges.withholding.mask(owner, text),
        )

    def embed(effect: Embed, deadline_s: float) -> Embedded:
        model = open_embedder()
        vectors = model.embed(effect.texts, deadline_s=deadline_s) if model is not None else [()] * len(effect.texts)
        return Embedded(tuple(map(Vector.fitted, vectors)))

    def ask(call: Call, question: Question, used: Usage) -> ModelReply:
        from entracte.runtime.engine.tool_questions import ToolQuestions  # only where a tool asks

        return ToolQuestions(network.blueprint, repository, clock, prices, performer.ask)(call, question, used)

    tools = PythonTools(
        {**network.functions, **_served(network, servers)},
        readonly=frozenset(name for name, spec in network.blueprint.tools.items() if spec.readonly),
        hooks=network.harness,
        context=tool_contexts(
            network,
            repository,
            secrets_port,
            partial(open_shelf, opens=True),
            open_memories,
            report,
            edges.asking(ask),
            folder,
        ),
        clock=clock,
    )
    tell = Observers((*network.observers, *observers))
    performer = Performer(
        edges.models(open_model or models_of(network, secrets_port, cloud)),
        around_tools(tools),
        price=lambda model, usage: prices.priced(model, usage, clock.now().date()),
        announce=announce,
        survey=lambda run: survey(repository, run),
        recall=lambda effect: open_memories(effect.owner).recalled(effect.text),
        embed=embed,
        telling=LiveWriting(repository, clock, observe=tell, is_observed=lambda: tell.want_deltas)
        if edges.streams and not any(_changes(hook, "after_model") for hook in network.harness)
        else untold,
        pipelines=network.pipelines,
        before_model=[hook.before_model for hook in network.harness],
        after_model=[hook.after_model for hook in network.harness],
    )
    perform = edges.effects(performer)
    if tracing is not None:
        from entracte.runtime.engine.traced import TracedBus, TracedEffects  # only where traces are kept

        perform, bus = TracedEffects(perform, tracing), TracedBus(bus, tracing)
    commits = Commits(repository, bus, clock, process, tell)
    engine = Engine(
        blueprint=network.blueprint,
        repository=repository,
        commits=commits,
        clock=clock,
        process=process,
        perform=perform,
        prices=prices,
        withholding=edges.withholding,
        tracing=tracing,
    )
    record_late = late_results(engine)
    tools.on_late = lambda call, outcome: record_late(call, edges.ended(call, outcome))
    return Runtime(
        network=network,
        engine=engine,
        store=store,
        bus=bus,
        clock=clock,
        tools=tools,
        servers=servers,
        secrets_port=secrets_port,
        open_shelf=open_shelf,
        open_memories=open_memories,
        send_link=send_link,
    )


def _edges(network: Network, store: Store, repository: Repository, secrets_port: Secrets, clock: Clock) -> Edges:
    if network.mask is None:
        return Edges()
    from entracte.runtime.masking.edges import MaskedEdges  # with its libraries, only where something is masked

    return MaskedEdges(network.mask, store, repository, secrets_port, clock)


def _servers(network: Network, secrets_port: Secrets, clock: Clock) -> Servers:
    manifest = network.policy.manifest
    return McpServers(manifest.servers if manifest is not None else {}, secrets_port, clock)


def _served(network: Network, servers: Servers) -> dict[str, ServedTool]:
    """The tools of the manifest's servers."""
    specs = network.blueprint.tools
    names = [tool.name for tool in served_tools(network.policy.listing)]
    return {n: ServedTool(n, specs[n].parameters, readonly=specs[n].readonly, servers=servers) for n in names}


def _changes(hook: Hook, method: str) -> bool:
    """Whether what models or tools say is not what people may see until the hook has looked at it."""
    return getattr(type(hook), method) is not getattr(Hook, method)
