"""Sorting a message: one look by the light model, before anything is planned.

The frame's agent, its cursor and the run's route are settled in one move, so that a repeated message finds either a
frame that nobody has sorted or one that is under way. Whatever goes wrong, the default route answers: a router that
fails must not fail the run.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from entracte.core.addresses import frame_path, run_path
from entracte.core.asking.context import input_text
from entracte.core.asking.conversation import conversation_text
from entracte.core.asking.prompts import ROUTE
from entracte.core.asking.reply_notes import fault_in
from entracte.core.asking.reply_schemas import closed_object
from entracte.core.asking.roles import model_for
from entracte.core.blueprint import AgentSpec, RouterSpec
from entracte.core.conversation.window import History
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.effects import AskModel
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.frames.asking import ask
from entracte.core.frames.budget_check import affordable
from entracte.core.frames.opening import set_off
from entracte.core.frames.spending import charge, exhausted
from entracte.core.frames.stalling import moving
from entracte.core.modelling import ModelReply, ModelRequest, Part
from entracte.core.outcome import Outcome, Put
from entracte.core.runs.boundary import boundary_of
from entracte.core.situation import Situation
from entracte.core.validation import faults
from entracte.errors import TerminalError

REPLY_TOKENS = 1024
"""Room for a reply of one line, and for models that think first."""

REASON_CHARS = 200

_LAST_LINES = 7  # of the conversation: "and the other one?" cannot be sorted without them


class _Choice(Struct, frozen=True, kw_only=True):
    """What the sorting came to; an empty route is the network's entry."""

    route: str
    strategy: str
    reason: str


def sort(s: Situation, run: Run, frame: Frame, session: Session) -> AskModel | Outcome:
    """Ask the light model; or settle on the default route, where nobody can be asked."""
    router = s.blueprint.router
    if router is None:  # deployed anew since
        return _settled(s, run, frame, session, _doubt(None, "The network has no router any more."), ModelReply())
    if limit := exhausted(s, run, frame):
        return _settled(s, run, frame, session, _doubt(router, f"Budget used up: {limit}."), ModelReply())
    request = affordable(s, run, frame, route_request(s, router, run, frame, session))
    if isinstance(request, str):
        return _settled(s, run, frame, session, _doubt(router, f"Budget used up: {request}."), ModelReply())
    return ask(s, run, request)


def route_request(s: Situation, router: RouterSpec, run: Run, frame: Frame, session: Session) -> ModelRequest:
    """Which of the routes the message belongs to."""
    routes = "\n".join(f"- {name}: {route.description}" for name, route in router.routes.items())
    parts = (
        Part("routes", routes),
        Part("conversation", conversation_text(History(latest=session.window[-_LAST_LINES:]))),
        Part("input", input_text(frame)),
    )
    return ModelRequest(
        purpose="route",
        run=run.id,
        frame=frame.id,
        agent=frame.agent,
        step=frame.cursor.step,
        model=model_for("light", s.blueprint, None, run.models),
        system=ROUTE,
        parts=tuple(part for part in parts if part.text),
        schema=_reply_schema(router),
        max_output_tokens=REPLY_TOKENS,
    )


def sorted_to(
    s: Situation, run: Run, frame: Frame, session: Session, asked: ModelRequest, result: ModelReply | TerminalError
) -> Outcome:
    """The frame on its route, with what the sorting cost."""
    router = s.blueprint.router
    if isinstance(result, TerminalError):
        return _settled(s, run, frame, session, _doubt(router, f"The model did not answer: {result}"), ModelReply())
    if fault := fault_in(asked, result):
        choice = _doubt(router, f"The model's reply could not be used: {fault}")
    elif router is None or result.value["route"] not in router.routes:
        choice = _doubt(router, f"The network has no route {result.value['route']!r} any more.")
    elif not result.value["sure"]:
        choice = _doubt(router, result.value["reason"])
    else:
        choice = _Choice(route=result.value["route"], strategy="model", reason=result.value["reason"])
    return _settled(s, run, frame, session, choice, result)


def _settled(s: Situation, run: Run, frame: Frame, session: Session, choice: _Choice, reply: ModelReply) -> Outcome:
    agent, choice = _fitting(s, frame, choice)
    begun, puts, messages = set_off(s, agent, charge(frame, reply.usage).evolve(agent=agent.name), run.limits)
    event = record(
        "run.routed", route=choice.route, agent=agent.name, strategy=choice.strategy, reason=choice.reason[:500]
    )
    entry = frame_entry(
        s, begun, "1.route", phase="plan", step=1, events=(event,), usage=reply.usage, served=reply.served
    )
    routed = moving(s, run) if run.status == "queued" or run.parked is not None else run
    return Outcome(
        puts=(
            Put(frame_path(run.id, frame.id), begun),
            *puts,
            Put(run_path(run.id), routed.evolve(agent=agent.name, route=choice.route, updated=s.now)),
        ),
        entry=entry.evolve(boundary=boundary_of(begun, session)),
        messages=messages,
        more=not messages,
    )


def _fitting(s: Situation, frame: Frame, choice: _Choice) -> tuple[AgentSpec, _Choice]:
    """The route's agent, unless it is asked with something else than what came."""
    router = s.blueprint.router
    here = s.blueprint.agents[frame.agent]
    route = router.routes.get(choice.route) if router is not None else None
    if route is None:
        return here, choice
    agent = s.blueprint.agents[route.agent]
    if agent.name != here.name and (found := faults(frame.input.value, agent.input)):
        return here, _doubt(router, f"Route {choice.route!r} cannot be asked with this input: {found[0][1]}.")
    return agent, choice


def _doubt(router: RouterSpec | None, reason: str) -> _Choice:
    return _Choice(route=router.default if router is not None else "", strategy="default", reason=reason)


def _reply_schema(router: RouterSpec) -> dict[str, Any]:
    properties = {
        "route": {"enum": list(router.routes)},
        "sure": {"type": "boolean"},
        "reason": {"type": "string", "maxLength": REASON_CHARS},
    }
    return closed_object(properties)
