"""Rule 9: state is changed item by item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from entracte.core.documents.frame import Frame
from entracte.core.documents.session import Session
from entracte.core.state import Drawer
from entracte.testing.simulation.moment import Invariant, Moment


def _given_once(moment: Moment) -> Iterator[str]:
    for before, session in moment.moves(Session):
        yield from _faults(f"session {session.id}", before.state if before is not None else {}, session.state)
    for was, frame in moment.moves(Frame):
        yield from _faults(f"frame {frame.id}", was.local if was is not None else {}, frame.local)


def _faults(where: str, before: Mapping[str, Drawer], after: Mapping[str, Drawer]) -> Iterator[str]:
    for key, drawer in after.items():
        ids = [item.id for item in drawer.items]
        known = before.get(key, Drawer())
        new = [id for id in ids if id not in {item.id for item in known.items}]
        if len(set(ids)) < len(ids) or len(ids) > drawer.given:
            yield f"{where}: two items of {key!r} share an id: {ids}, {drawer.given} given"
        if drawer.given - known.given < len(new):
            yield f"{where}: {key!r} has new items {new} after {known.given} ids were given, and {drawer.given} now"
    for key in before:
        if key not in after and before[key].items:
            yield f"{where}: {key!r} is gone"


IDS_ARE_GIVEN_ONCE = Invariant(
    "ids are given once", "State grows item by item, and no id is ever given to two items.", _given_once
)
