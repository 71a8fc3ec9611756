"""Calls that wait for a person, and the client that asks again (core/client_calls/)."""

import pytest

from entracte.core.due import execute_message
from entracte.testing.crashing import Crash, CrashingStore, Fuse
from tests.gates.shop import RULES, Shop, policy, raising
from tests.gateway.counter import ADA, AGAIN, BOB, Counter
from tests.runtime.scenes import events

SENT = [("send", "ada")]


@pytest.fixture
def counter():
    """A shop that clients call at."""
    return Counter()


def held(counter, client=ADA):
    """A mail that waits at its gate."""
    return counter.ask("send", client, to="ada")


def test_a_call_that_needs_a_person_is_held_at_once(counter):
    """The client is not kept waiting: it gets the gate."""
    answered = held(counter)
    assert (answered.answer, answered.outcome, answered.action.status) == ("new", None, "gated")
    assert answered.gate.id == f"{answered.action.id}.1"
    assert answered.gate.asked_by == "agent mcp client, for ada"
    assert counter.shop.done == []


def test_asking_again_does_not_ask_the_person_twice(counter):
    """Equal arguments, in any order and from any of the owner's sessions, are the same question."""
    first = counter.ask("send", to="ada", body="Hi")
    again = counter.ask("send", AGAIN, body="Hi", to="ada")
    assert (again.answer, again.gate.id) == ("held", first.gate.id)
    assert len(counter.world.process.gates.list(user="ada").items) == 1


def test_other_arguments_are_another_question(counter):
    """What was shown to the person is what is approved."""
    assert held(counter).gate.id != counter.ask("send", to="bob").gate.id


def test_another_tool_with_the_same_arguments_is_another_question():
    """Reading a record and removing it are not one thing."""
    counter = Counter(rules=policy(read="class: readonly, gate: always", remove=RULES["remove"] + ", gate: always"))
    assert counter.ask("remove", id=1).gate.id != counter.ask("read", id=1).gate.id


def test_an_approved_call_waits_for_its_client(counter):
    """Nobody would get its result now."""
    counter.decide(held(counter), "approve")
    counter.world.settle()
    assert counter.shop.done == []


def test_an_approval_is_used_once(counter):
    """By whoever asks again first; the next equal call is a question of its own."""
    first = held(counter)
    counter.decide(first, "approve")
    again = counter.ask("send", AGAIN, to="ada")
    assert (again.answer, again.outcome.raw, again.action.id) == ("granted", "sent", first.action.id)
    third = held(counter)
    assert (third.answer, third.action.status, counter.shop.done) == ("new", "gated", SENT)
    assert third.gate.id != first.gate.id


def test_an_approval_outlives_the_session(counter):
    """Clients are restarted, also in order to be told of an approval."""
    first = held(counter)
    counter.leave()
    assert counter.run(first).status == "waiting"
    counter.decide(first, "approve")
    again = counter.ask("send", AGAIN, to="ada")
    assert (again.answer, again.outcome.ending, counter.shop.done) == ("granted", "applied", SENT)
    counter.pass_time(hours=2)
    assert counter.run(first).status == "succeeded"


def test_an_approval_is_nobody_elses(counter):
    """Another owner's client asks its own person."""
    counter.decide(held(counter), "approve")
    assert held(counter, BOB).action.status == "gated"
    assert counter.shop.done == []


def test_an_approval_lapses_after_an_hour(counter):
    """And is shown as lapsed, which is neither denied nor expired."""
    first = held(counter)
    counter.decide(first, "approve")
    counter.pass_time(minutes=59)
    assert counter.action(first).status == "approved"
    counter.pass_time(minutes=20)
    action, gate = counter.action(first), counter.world.process.gates.get(first.gate.id, user="ada")
    assert (action.status, gate.status) == ("lapsed", "lapsed")
    assert "the approval has lapsed" in action.error
    counter.pass_time(hours=1)
    assert counter.run(first).status == "succeeded"


def test_a_lapsed_approval_is_not_used_before_sweep_has_looked(counter):
    """An hour is an hour, whether or not anything ran meanwhile."""
    first = held(counter)
    counter.decide(first, "approve")
    counter.world.clock.advance(hours=1)
    again = held(counter)
    assert (again.answer, again.action.status, counter.shop.done) == ("new", "gated", [])
    assert counter.action(first).status == "lapsed"


def test_a_denial_is_told(counter):
    """With its reason, for an hour; after that, the person can be asked again."""
    first = held(counter)
    counter.decide(first, "deny", reason="Not today.")
    again = held(counter)
    assert (again.answer, again.action.error) == ("denied", "Denied by ada. Not today.")
    counter.world.clock.advance(hours=1)
    assert held(counter).action.status == "gated"


def test_a_change_of_arguments_by_the_approver_is_what_is_called(counter):
    """The client asks again as it did before."""
    counter = Counter(rules=policy(send=RULES["send"] + ", editable: true"))
    counter.decide(held(counter), "approve", edited_arguments='{"to": "bob"}')
    assert held(counter).outcome.ending == "applied"
    assert counter.shop.done == [("send", "bob")]


def test_two_clients_use_one_approval_once():
    """Whoever is slower is told that the call is under way, or asks anew."""
    shop = Shop()
    counter = Counter(shop)
    counter.decide(held(counter), "approve")
    other, second = counter.elsewhere(), []
    shop.before["send"] = lambda: second.append(other.call(AGAIN, "send", {"to": "ada"}))
    first = held(counter)
    assert (first.outcome.ending, shop.done) == ("applied", SENT)
    assert [answered.answer for answered in second] == ["under_way"]


def test_a_call_under_way_is_not_made_twice():
    """A client that lost patience asks again while the first call still runs."""
    shop = Shop()
    counter = Counter(shop)
    other, second = counter.elsewhere(), []
    shop.before["add"] = lambda: second.append(other.call(AGAIN, "add", {"plan": "Pro"}))
    counter.ask("add", plan="Pro")
    assert [answered.answer for answered in second] == ["under_way"]
    assert shop.done == [("add", "Pro")]


def test_a_call_that_honours_its_key_may_run_beside_an_equal_one():
    """Two such calls are two calls; each is safe to repeat."""
    shop = Shop(idempotent=True)
    counter = Counter(shop)
    other, second = counter.elsewhere(), []

    def beside():
        shop.before.clear()
        second.append(other.call(AGAIN, "add", {"plan": "Pro"}))

    shop.before["add"] = beside
    counter.ask("add", plan="Pro")
    assert ([answered.answer for answered in second], len(shop.done)) == (["new"], 2)


def test_a_call_whose_process_has_died_is_in_doubt_for_whoever_asks_again(counter):
    """Before sweep has looked: its lease is over, and nobody recorded its end."""
    write = counter.world.process.engine.blueprint.tools["add"]
    asked = counter.calls._ask(ADA, write, {"plan": "Pro"})
    crashed = counter.world.new_process(store=lambda store: CrashingStore(store, Fuse(3)))  # as the end is recorded
    with pytest.raises(Crash):
        crashed.engine.handle(execute_message(asked.action), attended=lambda outcome: None)
    assert counter.ask("add", plan="Pro").answer == "under_way"
    counter.world.clock.advance(minutes=11)
    again = counter.ask("add", plan="Pro")
    assert (again.answer, again.action.id, counter.shop.done) == ("held", asked.action.id, [("add", "Pro")])


def test_a_call_is_not_repeated_for_a_client_that_has_gone():
    """Not even one that honours its key: nobody awaits what a second call would do if the first did nothing."""
    counter = Counter(Shop(idempotent=True))
    add = counter.world.process.engine.blueprint.tools["add"]
    asked = counter.calls._ask(ADA, add, {"plan": "Pro"})
    crashed = counter.world.new_process(store=lambda store: CrashingStore(store, Fuse(3)))
    with pytest.raises(Crash):
        crashed.engine.handle(execute_message(asked.action), attended=lambda outcome: None)
    counter.pass_time(minutes=20)
    assert (counter.action(asked).status, counter.shop.done) == ("unknown", [("add", "Pro")])


@pytest.fixture
def doubtful():
    """An added record of which nobody knows, and the client's first answer."""
    shop = Shop()
    counter = Counter(shop)
    shop.after["add"] = raising(RuntimeError("cut off"))
    return counter, counter.ask("add", plan="Pro")


def test_a_call_in_doubt_that_happened_is_told_once(doubtful):
    """The client is told what the person found out; what it asks for after that is a new call."""
    counter, first = doubtful
    counter.decide(first, "happened", reason="It is in the list.")
    assert counter.ask("add", plan="Pro").answer == "happened"
    counter.shop.after.clear()
    assert counter.ask("add", plan="Pro").outcome.ending == "applied"
    assert len(counter.shop.done) == 2


def test_a_call_in_doubt_is_made_again_when_a_person_says_so(doubtful):
    """When the client asks for it again."""
    counter, first = doubtful
    counter.shop.after.clear()
    counter.decide(first, "retry")
    counter.world.settle()
    assert len(counter.shop.done) == 1
    again = counter.ask("add", plan="Pro")
    assert (again.answer, again.outcome.ending, again.action.id) == ("granted", "applied", first.action.id)
    assert (counter.action(first).attempt, len(counter.shop.done)) == (2, 2)


def test_a_retry_that_lapses_leaves_the_doubt(doubtful):
    """It may have happened, whatever was not done since."""
    counter, first = doubtful
    counter.decide(first, "retry")
    counter.pass_time(hours=2)
    action = counter.action(first)
    assert (action.status, action.given_up) == ("unknown", True)


def test_a_call_that_was_given_up_may_be_asked_for_anew(doubtful):
    """Nobody will find out any more."""
    counter, first = doubtful
    counter.shop.after.clear()
    counter.decide(first, "give_up")
    assert counter.ask("add", plan="Pro").answer == "new"


def test_cancelling_the_run_ends_what_was_approved_in_it(counter):
    """The next equal call asks the person again."""
    first = held(counter)
    counter.decide(first, "approve")
    counter.world.process.runs.cancel(first.action.run, owner="ada")
    again = held(counter)
    assert (again.action.status, again.action.run != first.action.run, counter.shop.done) == ("gated", True, [])


def test_a_held_call_parks_the_run_once_its_client_is_silent(counter):
    """It costs nothing while it waits, however long, and goes on when the client calls."""
    first = held(counter)
    counter.pass_time(minutes=31)
    assert counter.run(first).status == "waiting"
    counter.world.clock.advance(days=29)
    assert counter.world.sweep() == 0
    second = counter.ask("read", id=1)
    assert (second.action.run, counter.run(first).status) == (first.action.run, "running")


def test_a_parked_run_ends_after_the_decision(counter):
    """What was denied needs nobody any more."""
    first = held(counter)
    counter.leave()
    counter.decide(first, "deny")
    counter.pass_time(minutes=16)
    assert counter.run(first).status == "succeeded"


def test_a_reading_tool_with_a_gate_is_held_like_any_other():
    """The rule says so, whatever the class."""
    counter = Counter(rules=policy(read="class: readonly, gate: always"))
    first = counter.ask("read", id=1)
    assert counter.ask("read", id=1).gate.id == first.gate.id
    counter.decide(first, "approve")
    assert counter.ask("read", id=1).outcome.ending == "applied"


def test_the_journal_tells_of_gate_and_decision(counter):
    """As of any run."""
    first = held(counter)
    counter.decide(first, "approve")
    held(counter)
    kinds = [event.type for event in events(counter.world, counter.run(first))]
    assert kinds == [
        "run.started",
        "plan.ready",
        "gate.opened",
        "gate.decided",
        "tool.called",
        "tool.result",
    ]


def test_an_approved_call_is_undone_with_the_run_that_asked_first(counter):
    """Whichever session used the approval."""
    counter = Counter(rules=policy(add=RULES["add"] + ", gate: always"))
    first = counter.ask("add", plan="Pro")
    counter.decide(first, "approve")
    counter.ask("add", AGAIN, plan="Pro")
    counter.world.process.runs.undo(first.action.run, owner="ada")
    counter.world.settle()
    assert (counter.run(first).undo.reverted, set(counter.shop.records)) == ((first.action.id,), {1, 2})
