"""The composition root: the only place where adapters meet ports."""

from __future__ import annotations

import random
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, partial
from typing import TYPE_CHECKING, Any, get_args

from entracte.adapters.mcp.servers import McpServers
from entracte.adapters.notify.registry import open_notifiers
from entracte.adapters.python.context import ToolContext
from entracte.adapters.python.hooks import Hook
from entracte.adapters.python.served import ServedTool
from entracte.adapters.python.tools import PythonTools
from entracte.agents.network import Network
from entracte.agents.observer import Observer
from entracte.core.addresses import frame_path, session_path
from entracte.core.asking.context import state_json
from entracte.core.calls import Call
from entracte.core.documents.gate import Gate
from entracte.core.identity.issuers import Kind, issuer_of
from entracte.core.memory.spec import MemorySpec
from entracte.core.outcome import Docs, Embed, Embedded
from entracte.core.policy.listing import served_tools
from entracte.core.pricing import Prices
from entracte.core.vector import Vector
from entracte.errors import ConfigurationError
from entracte.ports.bus import Bus
from entracte.ports.clock import Clock
from entracte.ports.embedder import Embedder
from entracte.ports.model import Model
from entracte.ports.secrets import Secrets
from entracte.ports.servers import Servers
from entracte.ports.shelf import Shelf
from entracte.ports.store import Store
from entracte.ports.tools import Tools
from entracte.runtime.alerting import AlertLines
from entracte.runtime.announcing import Announcer
from entracte.runtime.commits import Commits
from entracte.runtime.edges import Edges
from entracte.runtime.engine import Engine
from entracte.runtime.gates import Gates
from entracte.runtime.late import late_results
from entracte.runtime.linked_gates import LinkedGates
from entracte.runtime.links import Links
from entracte.runtime.live_writing import LiveWriting, untold
from entracte.runtime.models import check_location, cloud_of, embedder_of, models_of
from entracte.runtime.observing import Observers
from entracte.runtime.performing import Performer
from entracte.runtime.prices import read_prices
from entracte.runtime.process import Process
from entracte.runtime.reporting import report_progress
from entracte.runtime.repository import Repository
from entracte.runtime.run_events import RunEvents
from entracte.runtime.runs import Runs
from entracte.runtime.session_state import SessionState
from entracte.runtime.settings import Settings
from entracte.runtime.signing_in import API_KEYS, SignIn
from entracte.runtime.surveying import survey

if TYPE_CHECKING:
    from entracte.adapters.models.cloud import Cloud
    from entracte.runtime.memories import StoredMemories

NO_PRICES = Prices()


OpenShelf = Callable[[str, str], Shelf]
"""Gives the artifacts that a session of an owner sees."""

OpenMemories = Callable[[str], "StoredMemories"]
"""Gives what is remembered of an owner."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """A network on its ports."""

    network: Network
    engine: Engine
    runs: Runs
    events: RunEvents
    state: SessionState
    gates: Gates
    links: LinkedGates
    store: Store
    bus: Bus
    clock: Clock
    tools: Tools
    servers: Servers
    open_shelf: OpenShelf
    open_memories: OpenMemories

    def close(self) -> None:
        """Let go of everything. Closing twice is no error."""
        self.bus.close()
        self.servers.close()
        self.store.close()


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
    observers: Sequence[Observer] = (),
    announce: Callable[[Gate, bool], str] = lambda gate, reminder: "",
    send_link: Callable[[Gate, str], object] = lambda gate, approver: None,
    open_model: Callable[[str], Model] | None = None,
    embedder: Callable[[], Embedder | None] | None = None,
    cloud: Cloud | None = None,
    prices: Prices = NO_PRICES,
    servers: Servers | None = None,
    around_tools: Callable[[Tools], Tools] = lambda tools: tools,
    new_token: Callable[[], str] = lambda: secrets.token_hex(16),
    pause: Callable[[int], None] = lambda race: time.sleep(random.uniform(0, min(0.5, 0.005 * 2**race))),
) -> Runtime:
    """Put a network on ports.

    Args:
        worker: Name of this process, different for every process that ever ran.
        timeout_s: Seconds that one delivery may take.
        daily_cost_micro_usd: Most that the runs of one owner may cost a day; 0 for no cap.
        observers: Besides the network's own.
        announce: Tells people of a gate, or reminds them; gives by which ways they were told. Nobody, by default.
        send_link: Sends one person a new signed link to a gate. Nobody, by default.
        open_model: Gives models by name, in place of the model adapters.
        embedder: Gives the embedding model, in place of the network's own.
        cloud: Where models on Vertex AI are asked. Nowhere, by default.
        prices: What models cost. Nobody knows, by default.
        servers: Those of the network's manifest, if they are open already.
        around_tools: Puts something in front of the tools.
    """
    process = Process(
        worker=worker,
        timeout=timedelta(seconds=timeout_s),
        new_token=new_token,
        pause=pause,
        daily_cost_micro_usd=daily_cost_micro_usd,
    )
    repository = Repository(store, clock.now)
    edges = _edges(network, store, repository, secrets_port)
    servers = servers or _servers(network, secrets_port, clock)

    def open_shelf(session: str, owner: str, *, opens: bool = False) -> Shelf:
        from entracte.runtime.shelf import StoredShelf  # only for networks that ask for artifacts, and for people

        stored = StoredShelf(repository, clock, pause, session=session, owner=owner)
        return edges.shelf(stored, owner, opens=opens)

    holds_back = any(_changes(hook, "after_tool") for hook in network.harness)

    def report(call: Call, text: str) -> bool:
        said = edges.withholding.mask(call.user, text)
        return not holds_back and report_progress(engine, call, said)

    open_embedder = cache(embedder or (lambda: embedder_of(network, secrets_port, cloud)))

    def open_memories(owner: str) -> StoredMemories:
        from entracte.runtime.memories import StoredMemories  # only for networks that remember, and for people

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

    tools = PythonTools(
        {**network.functions, **_served(network, servers)},
        readonly=frozenset(name for name, spec in network.blueprint.tools.items() if spec.readonly),
        hooks=network.harness,
        context=_contexts(network, repository, secrets_port, partial(open_shelf, opens=True), open_memories, report),
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
        before_model=[hook.before_model for hook in network.harness],
        after_model=[hook.after_model for hook in network.harness],
    )
    commits = Commits(repository, bus, clock, process, tell)
    engine = Engine(
        blueprint=network.blueprint,
        repository=repository,
        commits=commits,
        clock=clock,
        process=process,
        perform=edges.effects(performer),
        prices=prices,
        withholding=edges.withholding,
    )
    record_late = late_results(engine)
    tools.on_late = lambda call, outcome: record_late(call, edges.ended(call, outcome))
    gates = Gates(engine)
    return Runtime(
        network=network,
        engine=engine,
        runs=Runs(engine, bus),
        events=RunEvents(engine),
        state=SessionState(engine),
        gates=gates,
        links=LinkedGates(engine, gates, Links(secrets_port, clock), send_link),
        store=store,
        bus=bus,
        clock=clock,
        tools=tools,
        servers=servers,
        open_shelf=open_shelf,
        open_memories=open_memories,
    )


def deployed(network: Network, settings: Settings) -> Runtime:
    """A network on Firestore and Pub/Sub, as the functions run it."""
    from entracte.adapters.gcp.bus import PubSubBus
    from entracte.adapters.gcp.store import FirestoreStore
    from entracte.adapters.system.clock import SystemClock

    check_location(network, settings)
    clock, secrets_port = SystemClock(), secrets_of(settings)
    announce = announcer(settings, secrets_port, clock)
    return compose(
        network,
        observers=(AlertLines(),),
        store=FirestoreStore(settings.project, settings.database),
        bus=PubSubBus(settings.project, prefix=settings.topic_prefix),
        clock=clock,
        secrets_port=secrets_port,
        announce=announce,
        send_link=announce.send_link,
        prices=read_prices(settings.prices),
        cloud=cloud_of(settings),
        worker=f"cloud:{secrets.token_hex(8)}",
        timeout_s=settings.function_timeout_s,
        daily_cost_micro_usd=settings.daily_cost_micro_usd,
    )


def secrets_of(settings: Settings) -> Secrets:
    """Where the functions' secrets are."""
    if settings.secrets == "secret-manager":
        from entracte.adapters.gcp.secrets import SecretManagerSecrets

        return SecretManagerSecrets(settings.project, prefix=settings.topic_prefix)
    from entracte.adapters.system.secrets import EnvironmentSecrets

    return EnvironmentSecrets(settings.variables)


def announcer(settings: Settings, secrets_port: Secrets, clock: Clock) -> Announcer:
    """The announcer that the settings ask for.

    Raises:
        ConfigurationError: An address in them cannot be used.
    """
    notifiers = open_notifiers(
        settings.notify,
        secrets=secrets_port,
        clock=clock,
        smtp=settings.smtp,
        sender=settings.notify_from,
        loopback=settings.notify_loopback,
    )
    return Announcer(notifiers, Links(secrets_port, clock, public_url=settings.public_url))


def _edges(network: Network, store: Store, repository: Repository, secrets_port: Secrets) -> Edges:
    if network.mask is None:
        return Edges()
    from entracte.runtime.masking.edges import MaskedEdges  # with its libraries, only where something is masked

    return MaskedEdges(network.mask, store, repository, secrets_port)


def _servers(network: Network, secrets_port: Secrets, clock: Clock) -> Servers:
    manifest = network.policy.manifest
    return McpServers(manifest.servers if manifest is not None else {}, secrets_port, clock)


def _served(network: Network, servers: Servers) -> dict[str, ServedTool]:
    """The tools of the manifest's servers."""
    specs = network.blueprint.tools
    names = [tool.name for tool in served_tools(network.policy.listing)]
    return {n: ServedTool(n, specs[n].parameters, readonly=specs[n].readonly, servers=servers) for n in names}


def sign_in(settings: Settings, secrets_port: Secrets, clock: Clock) -> SignIn:
    """What tells callers apart, as the settings have it.

    Raises:
        ConfigurationError: They would let in nobody, or do not say whom.
    """
    from entracte.adapters.gcp.signatures import PublishedKeys

    known: tuple[Kind, ...] = get_args(Kind)
    kinds = [kind for kind in known if kind in settings.auth]
    if kinds and not (settings.users or settings.operators):
        raise ConfigurationError(
            f"ENTRACTE_AUTH is {','.join(settings.auth)}, and ENTRACTE_USERS does not say whom to let in.",
            remedy="Name them, or set * for everybody who has a token for this deployment.",
        )
    if not settings.audience and {"google", "iap"} & {*kinds}:
        raise ConfigurationError(
            "ENTRACTE_AUDIENCE is empty: tokens made for any other service would be taken.",
            remedy="Set it to the API's address, and to the client ids of your apps.",
        )
    if not settings.project and "firebase" in kinds:
        raise ConfigurationError("Firebase's tokens are for a project: set ENTRACTE_PROJECT.")
    issuers = [
        issuer_of(kind, audiences=settings.audience, project=settings.project, certs_url=settings.certs_url)
        for kind in kinds
    ]
    return SignIn(
        [(issuer, PublishedKeys(issuer.certs_url, issuer.algorithm)) for issuer in issuers],
        clock=clock,
        read_keys=(lambda: secrets_port.get(API_KEYS)) if "keys" in settings.auth else None,
        users=settings.users,
        operators=settings.operators,
    )


def _contexts(
    network: Network,
    repository: Repository,
    secrets_port: Secrets,
    open_shelf: OpenShelf,
    open_memories: OpenMemories,
    report: Callable[[Call, str], bool],
) -> Callable[[Call], ToolContext[Any]]:
    @cache
    def deps() -> Any:
        return network.deps() if network.deps is not None else None

    def read_state(call: Call) -> Mapping[str, Any]:
        docs = Docs(repository.load((session_path(call.session), frame_path(call.run, call.frame))).documents)
        session, frame = docs.session(call.session), docs.frame(call.run, call.frame)
        return state_json(session, frame) if session is not None and frame is not None else {}

    def shelf(call: Call) -> Shelf:
        return open_shelf(call.session, call.user)

    return lambda call: ToolContext(
        call,
        deps=deps,
        read_state=read_state,
        secret=secrets_port.get,
        shelf=shelf,
        memories=lambda call: open_memories(call.user),
        report=report,
    )


def _changes(hook: Hook, method: str) -> bool:
    """Whether what models or tools say is not what people may see until the hook has looked at it."""
    return getattr(type(hook), method) is not getattr(Hook, method)
