"""Hooks around tools and models (adapters/python/hooks.py)."""

import pytest
from msgspec.structs import replace

from entracte.agents import Blocked, Hook, tool
from entracte.core.modelling import Part
from entracte.errors import RetryableError
from tests.runtime.scenes import a_world, actions, events, the_action, told, value
from tests.runtime.script import Script, calls, results


class Office:
    """A desk that mails once, and what was really sent."""

    def __init__(self, *hooks, effect="changing"):
        self.sent = []

        @tool(effect=effect)
        def mail(to: str, text: str = "") -> str:
            """Send a mail."""
            self.sent.append((to, text))
            return f"sent to {to}"

        self.model = Script([calls(("mail", {"to": "ada@example.com", "text": "Hi"})), "done"])
        self.world = a_world(self.model, mail, harness=hooks)
        self.run = self.world.ask("Mail Ada.")
        self.action = the_action(self.world, self.run)


EFFECTS = pytest.mark.parametrize("effect", ["readonly", "changing"])


class Redirecting(Hook):
    def before_tool(self, call, ctx):
        ctx.update_state({"facts": f"redirected by {ctx.agent}"})
        return call.evolve(arguments={**call.arguments, "to": "test@example.com"})


@EFFECTS
def test_a_hook_can_rewrite_arguments(effect):
    """The tool gets, and the action keeps, what it made of them; what the model wrote is kept beside it."""
    office = Office(Redirecting(), effect=effect)
    assert office.sent == [("test@example.com", "Hi")]
    assert value(office.action.arguments)["to"] == "ada@example.com"
    assert value(office.action.effective) == {"to": "test@example.com", "text": "Hi"}
    (called,) = events(office.world, office.run, "tool.called")
    assert called.data["arguments"]["to"] == "test@example.com"
    facts = office.world.process.state.get("session", owner="ada")["facts"]
    assert [fact["text"] for fact in facts] == ["redirected by desk"]


class Quiet(Hook):
    def before_tool(self, call, ctx):
        raise Blocked("No mails on Sundays.", remedy="Wait for Monday.")


@EFFECTS
def test_a_hook_can_block_a_call(effect):
    """The agent is told why and plans around it."""
    office = Office(Quiet(), Redirecting(), effect=effect)
    assert (office.sent, office.action.status) == ([], "blocked")
    assert told(office.model, 2) == ["mail blocked: No mails on Sundays. Wait for Monday."]
    assert office.run.status == "succeeded"


class Ending(Hook):
    def before_tool(self, call, ctx):
        ctx.terminate("I was told to stop.")
        raise Blocked("Enough.")


@EFFECTS
def test_a_hook_can_end_the_frame(effect):
    """Its reason is the answer."""
    office = Office(Ending(), effect=effect)
    assert (office.run.stop_reason, office.run.output.value) == ("terminated", "I was told to stop.")


class Dropping(Hook):
    def before_tool(self, call, ctx):
        return call.evolve(arguments={"text": "Hi"})


@EFFECTS
def test_arguments_are_checked_after_the_hooks(effect):
    """A hook cannot slip in what the tool does not take."""
    office = Office(Dropping(), effect=effect)
    assert (office.sent, office.action.status) == ([], "failed")
    assert office.action.error == "The arguments do not fit: /to: Field required."


class Numbered(Hook):
    def __init__(self, number, order):
        self.number, self.order = number, order

    def before_tool(self, call, ctx):
        self.order.append(("before", self.number))
        return call

    def after_tool(self, call, result, ctx):
        self.order.append(("after", self.number, result.value))
        return result.with_value(f"{result.value} {self.number}")


@EFFECTS
def test_hooks_run_in_order_and_each_sees_what_the_one_before_made(effect):
    """Once each, around the call."""
    order = []
    office = Office(Numbered(1, order), Numbered(2, order), effect=effect)
    sent = "sent to ada@example.com"
    assert order == [("before", 1), ("before", 2), ("after", 1, sent), ("after", 2, f"{sent} 1")]
    assert value(office.action.result) == f"{sent} 1 2"


class Withholding(Hook):
    def after_tool(self, call, result, ctx):
        raise Blocked("It names a customer.")


@EFFECTS
def test_a_hook_can_withhold_a_result(effect):
    """What the tool did is done, so the call has applied; nobody sees what it gave."""
    office = Office(Withholding(), effect=effect)
    assert (office.sent, office.action.status) == ([("ada@example.com", "Hi")], "applied")
    assert value(office.action.result) == {"note": "The result is withheld: It names a customer."}
    assert office.action.warnings == ("It names a customer.",)
    assert "sent to" not in str(office.model.requests)
    assert results(office.model.asked("evaluate")[0])[0]["status"] == "ok"


class Talkative(Hook):
    def after_tool(self, call, result, ctx):
        return replace(result, warnings=("w" * 1_000_000,) * 1000)


@EFFECTS
def test_a_hook_that_warns_of_very_much_does_not_keep_a_call_from_being_recorded(effect):
    """It has been made: what cannot be kept of the warnings is left out."""
    office = Office(Talkative(), effect=effect)
    assert (office.run.status, office.action.status, len(office.sent)) == ("succeeded", "applied", 1)
    assert office.action.warnings == ("w" * 2000,) * 20


class Slipping(Hook):
    def after_tool(self, call, result, ctx):
        raise KeyError("pattern")


@EFFECTS
def test_a_hook_that_fails_after_the_call_withholds_the_result(effect):
    """The call was made and is recorded; what a masker could not mask is shown to nobody."""
    office = Office(Slipping(), effect=effect)
    assert (office.sent, office.action.status, office.run.status) == (
        [("ada@example.com", "Hi")],
        "applied",
        "succeeded",
    )
    assert value(office.action.result) == {"note": "The result is withheld: hook Slipping failed with KeyError."}
    assert office.action.warnings == ("hook Slipping failed with KeyError: 'pattern'",)


class Masking(Hook):
    def before_model(self, request):
        parts = tuple(Part(part.title, part.text.replace("Ada", "[name]")) for part in request.parts)
        return request.evolve(parts=parts)

    def after_model(self, request, reply):
        return reply.evolve(value=reply.value.replace("[name]", "Ada")) if isinstance(reply.value, str) else reply


def test_a_hook_can_rewrite_what_a_model_is_asked_and_says():
    """The model never sees the name; the caller does."""
    model = Script(["[name] is on Pro."])
    run = a_world(model, harness=[Masking()]).ask("Which plan is Ada on?")
    assert run.output.value == "Ada is on Pro."
    assert all("Ada" not in part.text for request in model.requests for part in request.parts)


class Strict(Hook):
    def __init__(self, where, purpose):
        self.where, self.purpose = where, purpose

    def before_model(self, request):
        if self.where == "before" and request.purpose == self.purpose:
            raise Blocked("No such questions.")
        return request

    def after_model(self, request, reply):
        if self.where == "after" and request.purpose == self.purpose:
            raise Blocked("No such answers.")
        return reply


@pytest.mark.parametrize("purpose", ["interpret", "plan", "evaluate"])
@pytest.mark.parametrize(("where", "words"), [("before", "No such questions."), ("after", "No such answers.")])
def test_a_hook_that_blocks_a_model_call_fails_the_frame_with_its_reason(where, words, purpose):
    """There is nobody to plan around it."""

    @tool(effect="readonly")
    def look() -> str:
        """Look."""
        return "seen"

    model = Script([calls(("look", {})), "done"])
    run = a_world(model, look, harness=[Strict(where, purpose)]).ask("Go.")
    assert (run.status, run.stop_reason, run.error) == ("failed", "error", words)


def test_a_hook_that_changes_a_reply_does_not_change_what_it_cost():
    """Usage is counted before the hooks see it."""

    class Free(Hook):
        def after_model(self, request, reply):
            return reply.evolve(thought="free")

    run = a_world(Script(["done"]), harness=[Free()]).ask("Go.")
    assert (run.usage.model_calls, run.usage.tokens) == (2, 220)


def test_every_call_of_a_step_has_its_own_context():
    """What a hook asks for on one call stays with it."""

    class Counting(Hook):
        def before_tool(self, call, ctx):
            ctx.progress(f"before {call.arguments['n']}")
            return call

    @tool(effect="readonly")
    def look(n: int) -> int:
        """Look."""
        return n

    world = a_world(Script([calls(("look", {"n": 1}), ("look", {"n": 2})), "done"]), look, harness=[Counting()])
    run = world.ask("Go.")
    assert [event.data["text"] for event in events(world, run, "tool.progress")] == ["before 1", "before 2"]
    assert len(actions(world, run)) == 2


@EFFECTS
def test_a_hook_that_breaks_blocks_the_call_and_the_agent_is_told(effect):
    """It would break again at every try: a call that it has not passed is not made."""

    class Broken(Hook):
        def before_tool(self, call, ctx):
            raise KeyError("tenant")

    office = Office(Broken(), effect=effect)
    assert (office.sent, office.action.status, office.run.status) == ([], "blocked", "succeeded")
    assert office.action.error == "Hook Broken failed with KeyError: 'tenant'"
    assert told(office.model, 2) == [f"mail blocked: {office.action.error}"]


@EFFECTS
def test_a_hook_may_ask_for_the_call_to_come_later(effect):
    """What it needs cannot be reached now."""
    tries = []

    class Late(Hook):
        def before_tool(self, call, ctx):
            tries.append(call)
            if len(tries) == 1:
                raise RetryableError("The directory is down.")
            return call

    office = Office(Late(), effect=effect)
    assert (len(office.sent), office.action.status) == (1, "applied")
