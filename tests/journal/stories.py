"""What is recorded: a run of every kind, over the shop, and how each goes on.

A story may be added at any time. One that is there is not changed: what an older version has written must be read by
every later one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass

from entracte.agents import Agent, Budget, Network
from entracte.core.modelling import ModelReply, ModelRequest
from entracte.core.runs.forking import ForkRequest
from entracte.errors import ModelRefused, TerminalError
from entracte.ports.store import Store
from entracte.runtime.engine.giving_up import give_up
from entracte.runtime.services.forking import fork
from entracte.runtime.services.going_on import resume, retry
from entracte.testing.clock import FakeClock
from entracte.testing.crashing import Crash, CrashingStore, Fuse
from entracte.testing.world import World
from tests.gates.shop import Shop, policy, raising
from tests.journal.recording import Recording, documents_of
from tests.runtime.scenes import MODEL
from tests.runtime.script import Script, calls, judging

WRITE, ADD, SEND = ("write", {"id": 1, "plan": "Pro"}), ("add", {"plan": "Free"}), ("send", {"to": "ada"})
CLERK, SCOUT = ("clerk", {"message": "Upgrade 1."}), ("scout", {"message": "Upgrade 1."})

Plan = ModelReply | TerminalError | str


class Play:
    """One run of a story, and the world it is played in.

    Args:
        desk: What desk does, step by step; then it answers.
        others: What its sub-agents do.
    """

    def __init__(
        self,
        *desk: Plan,
        others: dict[str, list[Plan]] | None = None,
        shop: Shop | None = None,
        store: Store | None = None,
        clock: FakeClock | None = None,
        run: str = "",
    ) -> None:
        self.shop = shop or Shop()
        self.before = deepcopy(self.shop.records)
        plans = {
            name: [_in_steps(plan)] for name, plan in {"clerk": [], "scout": [], **(others or {}), "desk": desk}.items()
        }
        model = Script(plans, evaluate=[judging({"facts": ["Seen."]})])
        self.world = World(_network(self.shop), model, store=store)
        if clock is not None:
            self.world.clock = clock
            self.world.process = self.world.new_process()
        self.id = run or self.world.start("Keep the shop.").id

    @classmethod
    def of(cls, recording: Recording, *desk: Plan) -> Play:
        """A recorded world, brought to life by this version."""
        shop = Shop()
        shop.records = deepcopy(recording.records)
        play = cls(*desk, shop=shop, store=recording.store(), clock=FakeClock(recording.at), run=recording.run)
        play.before = recording.before
        return play

    @property
    def status(self) -> str:
        return self.world.run(self.id).status

    def settle(self) -> Play:
        self.world.settle()
        return self

    def deliver(self, messages: int) -> Play:
        """Deliver so many of those that wait."""
        for _ in range(messages):
            self.world.deliver(self.world.bus.waiting.pop(0))
        return self

    def decide(self, decision: str) -> Play:
        """Answer the gate that waits."""
        (gate,) = [gate for gate in self.world.process.gates.of_run(self.id) if gate.waiting]
        self.world.process.gates.decide(gate.id, decision, user="ada", via="cli", operator=True)
        return self.settle()

    def undo(self) -> Play:
        self.world.process.runs.undo(self.id, owner="ada")
        return self.settle()

    def cancel(self) -> Play:
        self.world.process.runs.cancel(self.id, owner="ada")
        return self.settle()

    def stall(self) -> Play:
        """The next message comes back too often."""
        give_up(self.world.process.engine, self.world.bus.waiting.pop(0), "It broke.")
        return self.settle()

    def resume(self) -> Play:
        resume(self.world.process.engine, self.world.run(self.id), by="ada")
        return self.settle()

    def retry(self) -> Play:
        retry(self.world.process.engine, self.world.run(self.id), by="ada")
        return self.settle()

    def fork(self, at: int) -> Play:
        """From here on, the fork is the run that is looked at."""
        source = self.world.run(self.id)
        self.id = fork(
            self.world.process.engine, source, ForkRequest(run=source.id, at=at), idempotency_key=source.id
        ).id
        return self.settle()

    def sweep(self) -> Play:
        """Hours later, what was lost is found."""
        self.world.bus.waiting.clear()
        self.world.clock.advance(hours=1)
        self.world.sweep()
        return self.settle()

    def record(self, story: str) -> Recording:
        return Recording(
            story=story,
            run=self.id,
            at=self.world.clock.now(),
            before=self.before,
            records=self.shop.records,
            documents=documents_of(self.world.store),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A run that is recorded.

    Attributes:
        play: Plays it up to the moment at which it is recorded.
        status: Of the run at that moment.
        go_on: What brings it further, with which end; None when nothing does.
        undone: How an undo of what then is ends.
    """

    play: Callable[[], Play]
    status: str
    go_on: tuple[Callable[[Play], Play], str] | None = None
    undone: str = "undone"


def _crashed() -> Play:
    """Killed between the intent and the record of a write."""
    play = Play(calls(WRITE)).deliver(1)
    process = play.world.new_process(store=lambda store: CrashingStore(store, Fuse(3)))
    try:
        play.world.deliver(play.world.bus.waiting.pop(0), process)
    except Crash:
        return play
    raise AssertionError("It was to die there.")


def _in_doubt() -> Play:
    shop = Shop()
    shop.after["write"] = raising(ConnectionResetError("cut"))
    play = Play(calls(WRITE), shop=shop).settle()
    shop.after.clear()
    return play


def _half_undone() -> Play:
    """An undo of two calls, of which one is taken back; the message for the other is lost."""
    play = Play(calls(WRITE, ADD)).settle()
    play.world.process.runs.undo(play.id, owner="ada")
    return play.deliver(2)


def _drifted() -> Play:
    """Somebody else has changed the record since."""
    play = Play(calls(WRITE, ADD)).settle()
    play.shop.records[1]["plan"] = "Enterprise"
    return play.undo()


STORIES: dict[str, Story] = {
    "answered": Story(play=lambda: Play(calls(WRITE, ADD), calls(WRITE)).settle(), status="succeeded"),
    "planning": Story(play=lambda: Play(calls(WRITE)).deliver(3), status="running", go_on=(Play.sweep, "succeeded")),
    "parked": Story(
        play=lambda: Play(calls(WRITE, SEND)).settle(),
        status="waiting",
        go_on=(lambda play: play.decide("approve"), "succeeded"),
        undone="partial",
    ),
    "denied": Story(play=lambda: Play(calls(WRITE, SEND)).settle().decide("deny"), status="succeeded"),
    "in_doubt": Story(play=_in_doubt, status="waiting", go_on=(lambda play: play.decide("happened"), "succeeded")),
    "crashed": Story(
        play=_crashed, status="running", go_on=(lambda play: play.sweep().decide("happened"), "succeeded")
    ),
    "cancelled": Story(play=lambda: Play(calls(WRITE, SEND)).settle().cancel(), status="cancelled"),
    "undone": Story(play=lambda: Play(calls(WRITE, ADD)).settle().undo(), status="undone"),
    "half_undone": Story(play=_half_undone, status="undoing", go_on=(Play.sweep, "undone")),
    "drifted": Story(play=_drifted, status="partial", undone="partial"),
    "failed": Story(
        play=lambda: Play(calls(WRITE), ModelRefused("The key is wrong.")).settle(),
        status="failed",
        go_on=(Play.retry, "succeeded"),
    ),
    "stalled": Story(
        play=lambda: Play(calls(WRITE)).deliver(2).stall(), status="stalled", go_on=(Play.resume, "succeeded")
    ),
    "forked": Story(
        play=lambda: Play(calls(ADD), calls(WRITE)).settle().fork(2),
        status="succeeded",
        go_on=(lambda p: p.fork(2), "succeeded"),
    ),
    "sub_agents": Story(
        play=lambda: Play(calls(CLERK, SCOUT), others={"clerk": [calls(WRITE, SEND)], "scout": [calls(ADD)]}).settle(),
        status="waiting",
        go_on=(lambda play: play.decide("approve"), "succeeded"),
        undone="partial",
    ),
}
"""By name; the file of each has the same name."""


def _in_steps(plans: Sequence[Plan]) -> Callable[[ModelRequest], ModelReply]:
    """A line that depends on the step alone, so that every process and every fork hears the same."""

    def line(request: ModelRequest) -> ModelReply:
        said = plans[request.step - 1] if request.step <= len(plans) else "done"
        if isinstance(said, TerminalError):
            raise said
        return said if isinstance(said, ModelReply) else ModelReply(value=said)

    return line


def _network(shop: Shop) -> Network:
    clerk = Agent(name="clerk", prompt="You note.", tools=shop.tools)
    scout = Agent(name="scout", prompt="You look.", tools=shop.tools, light=True)
    desk = Agent(name="desk", prompt="You keep a shop.", tools=shop.tools, agents=[clerk, scout])
    rules = policy(send="class: irreversible")
    return Network(entry=desk, models=MODEL, policy=rules, budget=Budget(wall_s=10**9, depth=3), name="shop")
