"""What the agents of a session are told after an undo (core/undo/telling.py)."""

from entracte.agents import Agent
from entracte.core.addresses import session_path
from entracte.core.documents.line import EXCERPT_CHARS
from entracte.core.runs.forking import ForkRequest
from entracte.core.undo.telling import MAX_NAMED, NO_LONGER
from entracte.ports.store import Delete, Update
from entracte.runtime.engine.giving_up import give_up
from entracte.runtime.services.forking import fork
from entracte.testing.crashing import each_death
from tests.gates.racing import overtaken
from tests.gates.scene import SEND, Scene, in_steps
from tests.gates.shop import Shop
from tests.runtime.script import Script, calls, judging
from tests.undo.stage import ADD, DOWNGRADE, FREE, UPGRADE, kill_undo
from tests.undo.test_resuming import BLIND, undone_with

UPGRADED = 'write(id=1, plan="Pro")'
DOWNGRADED = 'write(id=2, plan="Free")'
ADDED = 'add(plan="Pro")'


def notices(scene):
    """What the system has said in the session, as turns have it; the window shows the same."""
    runs = scene.world.process.runs
    session = runs.session("session", owner="ada")
    said = [turn.text for turn in runs.turns(session).items if turn.role == "system"]
    assert [line.text for line in session.window if line.role == "system"] == said
    return said


def ask_again(scene):
    """Another message in the session. Gives the requests that its run makes."""
    before = len(scene.model.requests)
    scene.world.start("And now?", key="2")
    scene.settle()
    return scene.model.requests[before:]


def test_the_next_run_of_the_session_is_told_what_was_taken_back():
    """State has what the agents said themselves; the conversation says that it no longer holds."""
    model = Script([in_steps(calls(UPGRADE))], evaluate=[judging({"facts": ["Record 1 is on the Pro plan now."]})])
    scene = Scene(model=model)
    scene.undo()
    plan = next(request for request in ask_again(scene) if request.purpose == "plan")
    assert plan.part("conversation").splitlines()[-1] == f"system: Taken back since: {UPGRADED}. {NO_LONGER}"
    assert "Record 1 is on the Pro plan now." in plan.part("state")
    assert plan.part("input") == "And now?"


def test_a_sub_agent_is_told_as_well():
    """It shares the state, and sees nothing else of the conversation."""
    shop = Shop()
    clerk = Agent(name="clerk", prompt="You change.", tools=shop.tools)
    pass_on = calls(("clerk", {"message": "x"}))
    model = Script({"desk": [pass_on, "done"], "clerk": [in_steps(calls(UPGRADE))]})
    scene = Scene(model=model, shop=shop, agents=[clerk])
    scene.undo()
    asked = [request for request in ask_again(scene) if request.agent == "clerk"]
    assert {request.part("notices") for request in asked} == {f"system: Taken back since: {UPGRADED}. {NO_LONGER}"}
    assert {request.part("conversation") for request in asked} == {""}


def test_what_was_not_taken_back_is_said():
    """A mail is sent for good."""
    scene = Scene(UPGRADE, SEND, rules=FREE)
    scene.undo()
    assert notices(scene) == [f'Taken back since: {UPGRADED}. Not taken back: send(to="ada"). {NO_LONGER}']


def test_an_undo_of_the_latest_calls_says_how_many_it_has_kept():
    """Those before the action that it was to end at."""
    scene = Scene(UPGRADE, ADD, DOWNGRADE)
    scene.undo(to=scene.actions[2].id)
    assert notices(scene) == [f"Taken back since: {DOWNGRADED}. Not taken back: 2 earlier. {NO_LONGER}"]


def test_an_undo_that_goes_on_says_the_rest():
    """What it stopped at is named, and what lies before it counted; the next undo says only what it does itself."""
    scene = Scene(ADD, UPGRADE, DOWNGRADE)
    scene.shop.records[1]["plan"] = "Team"
    scene.undo()
    scene.shop.records[1]["plan"] = "Pro"
    scene.undo()
    assert notices(scene) == [
        f"Taken back since: {DOWNGRADED}. Not taken back: {UPGRADED}, 1 earlier. {NO_LONGER}",
        f"Taken back since: {UPGRADED}, {ADDED}. {NO_LONGER}",
    ]


def test_where_nothing_was_taken_back_nothing_is_said():
    """Neither by an undo that stops at once, nor by one that finds nothing or is asked for twice."""
    stopped = Scene(UPGRADE)
    stopped.shop.records[1]["plan"] = "Team"
    stopped.undo()
    looked = Scene(("read", {"id": 1}))
    looked.undo()
    twice = Scene(UPGRADE)
    twice.undo()
    twice.undo()
    assert [len(notices(scene)) for scene in (stopped, looked, twice)] == [0, 0, 1]


def test_an_undo_that_was_killed_anywhere_says_once_what_became_of_the_calls():
    """In the commit that ends it."""
    ends = set()

    def killed(fuse):
        scene = Scene(UPGRADE, ADD, rules=BLIND)
        undone_with(scene, fuse)
        return scene

    for where, scene in each_death(killed):
        assert len(notices(scene)) == 1, where
        ends.add((scene.status, *notices(scene)))
    assert ends == {
        ("undone", f"Taken back since: {ADDED}, {UPGRADED}. {NO_LONGER}"),
        ("partial", f"Not taken back: {ADDED} (perhaps it was), 1 earlier. {NO_LONGER}"),
    }


def test_a_doubt_is_not_told_again_by_an_undo_that_stops_at_it():
    """Nothing has changed since."""
    scene = Scene(ADD, rules=BLIND)
    kill_undo(scene, "after the call")
    scene.lease_ends()
    scene.settle()
    (said,) = notices(scene)
    scene.undo()
    assert (scene.statuses, notices(scene)) == (["unrecoverable"], [said])


def before_its_answer():
    """A run that can be undone, another one of the session, and the message with which that one will answer."""
    scene = Scene(UPGRADE)
    scene.world.start("And now?", key="2")
    while (message := scene.world.bus.waiting[0]).kind != "plan" or message.step != 2:
        scene.world.deliver(scene.world.bus.waiting.pop(0))
    return scene, scene.world.bus.waiting.pop(0)


def said_at_last(scene):
    """Who has spoken since the first run."""
    session = scene.world.process.runs.session("session", owner="ada")
    said = [(turn.role, turn.text) for turn in scene.world.process.runs.turns(session).items]
    assert [(line.role, line.text) for line in session.window] == said
    return [role for role, _ in said[2:]]


def test_an_answer_that_a_notice_overtakes_follows_it():
    """Both change one document: the second has another look."""
    scene, answering = before_its_answer()
    scene.world.deliver(answering, overtaken(scene.world, scene.undo))
    scene.settle()
    assert said_at_last(scene) == ["user", "system", "assistant"]


def test_a_notice_that_an_answer_overtakes_follows_it():
    """The inverse has been called by then, and is not called again."""
    scene, answering = before_its_answer()
    scene.world.process.runs.undo(scene.id, owner="ada")
    scene.deliver()
    slow = overtaken(scene.world, lambda: scene.world.deliver(answering), at=2)
    scene.world.deliver(scene.world.bus.waiting.pop(0), slow)
    scene.settle()
    assert (said_at_last(scene), len([key for key in scene.shop.keys if ".undo." in key])) == (
        ["user", "assistant", "system"],
        1,
    )


def test_the_message_that_is_answered_is_not_shown_twice_where_a_notice_follows_it():
    """The input has it."""
    scene = Scene(UPGRADE)
    scene.world.start("And now?", key="2")
    scene.undo()
    asked = [request for request in scene.model.requests if request.part("input") == "And now?"]
    told = [request.part("conversation") for request in asked if "Taken back since" in request.part("conversation")]
    assert told
    assert not [text for text in told if "And now?" in text]


def test_the_line_is_bounded_however_many_and_long_the_calls_are():
    """It names the first of them and counts the others."""
    mails = [("send", {"to": "漢" * 499, "body": f"{number}" * 400}) for number in range(10)]
    changes = [("write", {"id": 1, "note": "n" * (480 + number)}) for number in range(10)]
    model = Script([calls(*mails[:5]), calls(*mails[5:]), calls(*changes[:5]), calls(*changes[5:]), "done"])
    scene = Scene(model=model, rules=FREE)
    scene.undo()
    (said,) = notices(scene)
    assert len(said) < EXCERPT_CHARS
    assert [said.count(part) for part in ("write(", "send(", "2 more")] == [MAX_NAMED, MAX_NAMED, 2]


def test_a_session_that_is_gone_holds_up_no_undo():
    """There is nobody to tell."""
    scene = Scene(UPGRADE)
    scene.world.store.commit([Delete(session_path("session"))])
    assert (scene.undo().status, scene.shop.plans()[1]) == ("undone", "Free")


def given_up(scene):
    """The latest change is taken back, then the undo's message has come too often."""
    scene.world.process.runs.undo(scene.id, owner="ada")
    scene.deliver(2)
    return give_up(scene.world.process.engine, scene.world.bus.waiting.pop(0), "It came back too often.")


def test_an_undo_that_is_given_up_says_how_far_it_came():
    """It can be asked for again."""
    scene = Scene(UPGRADE, DOWNGRADE)
    assert (given_up(scene), scene.status) == ("stopped", "partial")
    assert notices(scene) == [f"Taken back since: {DOWNGRADED}. Not taken back: {UPGRADED}. {NO_LONGER}"]


def test_a_session_that_cannot_be_read_does_not_keep_an_undo_from_being_given_up():
    """It is partial, and can be asked for again once the session is mended."""
    scene = Scene(UPGRADE, DOWNGRADE)
    path = session_path("session")
    scene.world.store.commit([Update(path, {"turns": "many"}, scene.world.store.load([path])[path].version)])
    assert (given_up(scene), scene.status) == ("stopped", "partial")


def test_a_fork_of_a_later_run_has_the_notice_among_its_turns():
    """Its session is a copy."""
    scene = Scene(UPGRADE)
    scene.undo()
    later = scene.world.start("And now?", key="2")
    scene.settle()
    process = scene.world.process
    new = fork(process.engine, scene.world.run(later.id), ForkRequest(run=later.id, at=1), idempotency_key="f")
    scene.settle()
    turns = process.runs.turns(process.runs.session(new.session, owner="ada")).items
    assert [turn.text for turn in turns if turn.role == "system"][:1] == notices(scene)
