"""Fan-in without a counter: whoever ends a call looks at its siblings afterwards, so the last one sees all ended.

Calls of a step write only their own documents; nobody waits for anybody, and nothing is contended.
"""

from __future__ import annotations

from entracte.core.addresses import action_path, frame_path, step_actions
from entracte.core.client_calls.client import is_clients
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Cursor
from entracte.core.documents.run import Run
from entracte.core.due import AUTHOR_GRACE, after_end, only_people_awaited
from entracte.core.effects import Fetch
from entracte.core.frames.parking import park
from entracte.core.outcome import Outcome, nothing
from entracte.core.situation import Situation
from entracte.errors import RetryableError


def fan_in(s: Situation, run: Run, action: Action) -> Fetch | Outcome:
    """What follows once a call has ended or waits for a person. Reads the step's other calls as they are now.

    Raises:
        RetryableError: A repeated message, while the delivery that ended the call is still publishing.
    """
    if is_clients(action):
        return nothing("the client says what comes next")
    ids = step_actions(action.frame, action.step, action.calls)
    others = (path for id in ids if id != action.id for path in (action_path(run.id, id), frame_path(run.id, id)))
    if unread := s.docs.unread((frame_path(run.id, action.frame), *others)):
        return Fetch(unread)
    frame = s.docs.frame(run.id, action.frame)
    if frame is None:
        return nothing("the frame is not there")
    if frame.cursor != Cursor(step=action.step, phase="execute"):
        return nothing("the step's results have been taken")
    if run.closed:
        return nothing(f"the run is {run.status}")
    actions = s.docs.actions(run.id, ids)
    children = {id: child for id in ids if (child := s.docs.frame(run.id, id)) is not None}
    if only_people_awaited(actions, children):
        return nothing("parked already") if frame.parked else park(s, run, frame, actions, list(children.values()))
    if not s.committed and action.ended is not None and s.now - action.ended < AUTHOR_GRACE:
        raise RetryableError(f"Action {action.id} has just ended; its messages are on their way.", code="just_moved")
    return Outcome(messages=after_end(action, actions, light=s.blueprint.is_light(frame.agent)))
