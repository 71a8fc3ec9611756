"""Runs under everything that can happen to them at once: the engine's rules hold at every moment."""

from collections import Counter
from contextlib import suppress
from random import Random

from hypothesis import HealthCheck, given, settings, strategies as st

from entracte.adapters.memory.store import MemoryStore
from entracte.agents import UNGATED, Agent, Blocked, Budget, Hook, Network, ToolContext, ToolError, ToolResult, tool
from entracte.core.addresses import KINDS
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import CLOSED, Run
from entracte.core.modelling import Fault, ModelReply, Usage
from entracte.core.transitions import ACTION, FRAME, RUN
from entracte.errors import Conflict, ModelRefused, ModelUnavailable
from entracte.ports.store import Create, Update
from entracte.testing.crashing import Crash, Fuse
from entracte.testing.world import World
from tests.runtime.scenes import MODEL
from tests.runtime.script import calls, results


class RecordingStore(MemoryStore):
    """Keeps every status that a document moved from and to."""

    def __init__(self):
        super().__init__()
        self.moves = set()

    def commit(self, writes):
        paths = [write.path for write in writes if isinstance(write, (Create, Update))]
        before = {path: _status(path, stored.fields) for path, stored in self.load(paths).items()}
        versions = super().commit(writes)
        for path, stored in self.load(paths).items():
            if (after := _status(path, stored.fields)) is not None:
                self.moves.add((KINDS[path.rsplit("/", 2)[-2]], before.get(path), after))
        return versions


def _status(path, fields):
    match path.rsplit("/", 2)[-2]:
        case "runs" | "actions":
            return fields["status"]
        case "frames":
            return fields["cursor"]["phase"]
        case _:
            return None


class Whims:
    """A model, tools and a hook that do what a random source says."""

    def __init__(self, random):
        self.random = random
        self.made = Counter()

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def generate(self, request, *, deadline_s, on_delta=None):
        """Model port."""
        reply = self._reply(request)
        usage = Usage(prompt_tokens=self.random.randrange(2000), output_tokens=10)
        return ModelReply(calls=reply.calls, value=reply.value, fault=reply.fault, usage=usage)

    def _reply(self, request):
        if self.chance(3):
            raise ModelUnavailable("Overloaded.")
        if self.chance(1):
            raise ModelRefused("No.")
        if self.chance(5):
            return ModelReply(fault=Fault("empty", "The reply was empty."))
        match request.purpose:
            case "interpret":
                return ModelReply(value={"goals": ["g"], "tasks": ["t"]})
            case "evaluate":
                verdicts = [{"call": r["call"], "verdict": "ok", "note": "n"} for r in results(request)]
                return ModelReply(value={"verdicts": verdicts, "state": {"facts": ["f"], "nonsense": []}})
        if not request.tools or self.chance(30):
            return ModelReply(value="done")
        names = [tool.name for tool in request.tools] + ["nothing"]
        return calls(
            *((name, self._arguments(name)) for name in self.random.choices(names, k=self.random.randint(1, 4)))
        )

    def _arguments(self, name):
        return {"message": "x"} if name in ("clerk", "scout", "desk") else {"n": self.random.randrange(3)}

    def tools(self):
        def act(ctx, key):
            self.made[ctx.idempotency_key, key] += 1
            if self.chance(10):
                raise ToolError("Nothing done.")
            if self.chance(5):
                raise ConnectionResetError
            if self.chance(3):
                ctx.terminate("Enough.")
            return ToolResult("ok", state={"facts": "from a tool"})

        @tool(effect="readonly")
        def look(n: int, ctx: ToolContext[None]) -> ToolResult:
            """Look."""
            return act(ctx, "look")

        @tool
        def change(n: int, ctx: ToolContext[None]) -> ToolResult:
            """Change something."""
            return act(ctx, "change")

        @tool(idempotent=True)
        def put(n: int, ctx: ToolContext[None]) -> ToolResult:
            """Put something."""
            return act(ctx, "put")

        return [look, change, put]

    def before_tool(self, call, ctx):
        """Hook."""
        if self.chance(5):
            raise Blocked("Not now.")
        return call


class Moody(Hook):
    def __init__(self, whims):
        self.before_tool = whims.before_tool


def a_world(whims):
    """Agents that call each other and tools of each class, all by whim."""
    tools = whims.tools()
    clerk = Agent(name="clerk", prompt="You note.", tools=tools, max_steps=3)
    scout = Agent(name="scout", prompt="You look.", tools=tools, light=True, agents=["clerk"], max_steps=3)
    desk = Agent(name="desk", prompt="You answer.", tools=tools, agents=[clerk, scout], max_steps=4)
    budget = Budget(depth=3, actions=40, writes=20, tokens=60_000, wall_s=10**7)
    network = Network(entry=desk, models=MODEL, policy=UNGATED, harness=[Moody(whims)], budget=budget)
    return World(network, whims, store=RecordingStore())


def happen(world, whims, run_ids):
    """One thing that can happen."""
    match whims.random.randrange(20):
        case 0:
            world.clock.advance(minutes=whims.random.choice([1, 11, 31, 600]))
        case 1:
            world.sweep()
        case 2 if world.bus.published:
            world.deliver(whims.random.choice(world.bus.published))
        case 3 if world.bus.waiting:
            world.bus.waiting.pop(0)  # lost
        case 4:
            with suppress(Conflict):
                world.process.runs.cancel(whims.random.choice(run_ids), owner="ada")
        case 5 if world.bus.waiting:
            message, fuse = world.bus.waiting[0], Fuse(whims.random.randrange(8))
            process = world.dying(fuse)
            with suppress(Crash):  # then it is delivered again
                world.deliver(message, process)
                world.bus.waiting.remove(message)
        case _ if world.bus.waiting:
            world.deliver(world.bus.waiting.pop(whims.random.randrange(len(world.bus.waiting))))


def check_rules(world, whims):
    """What holds at every moment."""
    for (key, kind), times in whims.made.items():
        assert kind != "change" or times == 1, f"{key} was made {times} times"
    documents = world.documents()
    for path, fields in documents.items():
        match path.rsplit("/", 2)[-2]:
            case "frames" if fields["cursor"]["phase"] != "ended" and fields["due"] is None:
                run = documents[f"runs/{fields['run']}"]
                assert run["status"] not in ("queued", "running") or waits_for_others(documents, fields)
            case "actions" if fields["status"] == "started" and fields["kind"] == "tool":
                assert fields["lease"] is not None
                assert fields["due"] >= fields["lease"]["expires"]
            case "runs" if fields["status"] in CLOSED:
                assert fields["expires"] is not None


def waits_for_others(documents, frame):
    """A parked frame beside which another moves: its run is not parked."""
    return any(
        "/frames/" in path and fields["due"] is not None and fields["run"] == frame["run"]
        for path, fields in documents.items()
    )


def simulate(seed):
    """Three runs in two sessions, to their ends; gives the moves that were made."""
    whims = Whims(Random(seed))
    world = a_world(whims)
    run_ids = [world.start("Go.", key=str(n), session=str(n % 2)).id for n in range(3)]
    for _ in range(120):
        happen(world, whims, run_ids)
        check_rules(world, whims)
    for _ in range(8):
        world.settle()
        world.clock.advance(hours=30)
        world.sweep()
    world.settle()
    for run_id in run_ids:
        run = world.run(run_id)
        assert run.closed or run.status in ("waiting", "stalled"), f"{run.id} is {run.status}"
        if run.status == "waiting":
            assert any(action.status == "unknown" for action in world.process.runs.actions(run))
    due = [p for p, fields in world.documents().items() if fields.get("due") and not p.startswith("gates/")]
    assert due == []
    return world.store.moves


def test_every_rule_holds_whatever_happens_and_every_move_is_in_the_tables():
    """Deliveries in any order, twice or never; crashes, cancels, sweeps, faults of models and tools: all at once."""
    made = set()

    @given(st.integers(0, 2**32))
    @settings(max_examples=30, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    def play(seed):
        made.update(simulate(seed))

    play()
    tables = {Action: ACTION, Frame: FRAME, Run: RUN}
    for kind, before, after in made:
        assert before is None or after in tables[kind][before]
    # A simulation that never gets anywhere would test nothing.
    assert {move for move in made if move[1] is not None} >= {
        (Run, "queued", "running"),
        (Run, "running", "waiting"),
        (Run, "running", "succeeded"),
        (Run, "running", "failed"),
        (Run, "running", "cancelled"),
        (Frame, "interpret", "plan"),
        (Frame, "plan", "execute"),
        (Frame, "execute", "plan"),
        (Frame, "plan", "ended"),
        (Frame, "execute", "ended"),
        (Action, "proposed", "started"),
        (Action, "proposed", "applied"),
        (Action, "proposed", "failed"),
        (Action, "proposed", "blocked"),
        (Action, "proposed", "cancelled"),
        (Action, "started", "applied"),
        (Action, "started", "failed"),
        (Action, "started", "unknown"),
    }
