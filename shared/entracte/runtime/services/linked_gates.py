"""What can be done with a signed link: see its gate, decide it once, ask for a new link."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from msgspec import json

from entracte.core.addresses import action_path, entry_path
from entracte.core.documents.gate import WORDS, Gate, Vote
from entracte.core.documents.journal import Entry
from entracte.core.entry import action_entry
from entracte.core.gates.people import person
from entracte.core.outcome import Outcome, nothing
from entracte.core.situation import Situation
from entracte.errors import Conflict, Forbidden, InvalidInput, NotFound, Unauthenticated
from entracte.runtime.engine.engine import Engine
from entracte.runtime.services.gates import Gates
from entracte.runtime.services.links import Claim, Links

RENEWAL_EVERY_S = 300
"""At most one new link in so many seconds for each gate and person: a leaked link must not fill a mailbox."""


class LinkedGates:
    """Gates as those reach them who hold a link. Whoever holds none learns nothing.

    Args:
        send: Sends a person a new link to a gate, in ways that reach nobody else.
    """

    def __init__(self, engine: Engine, gates: Gates, links: Links, send: Callable[[Gate, str], object]) -> None:
        self._engine = engine
        self._gates = gates
        self._links = links
        self._send = send

    def show(self, token: str, *, gate: str = "") -> tuple[Gate, Claim]:
        """The gate of a link, and what the link says. Nothing is decided, and the link stays unused.

        Args:
            gate: The one that is expected; empty for any.

        Raises:
            Forbidden: The link was not made here, or is for another gate.
            Conflict: Its time has passed, or the gate asks something else by now.
            NotFound: Links are off; or this person is not to decide the gate any more.
        """
        claim = self._links.read(token)
        if gate and gate != claim.gate:
            raise Forbidden("This link is for another gate.", code="link_invalid")
        if self._links.is_over(claim):
            raise Conflict("This link is too old.", remedy="Ask for a new one.", code="link_expired")
        found = self._gates.get(claim.gate, user=claim.approver)
        if found.z.digest != claim.digest:
            raise Conflict(
                "The gate asks for something else than when this link was made.",
                remedy="Ask for a new one.",
                code="link_outdated",
            )
        return found, claim

    def decide(
        self, token: str, decision: str, *, gate: str = "", reason: str = "", signed_in: str = ""
    ) -> tuple[Gate, Claim]:
        """Answer the gate of a link. Gives the gate as it is now, and what the link says.

        Args:
            signed_in: Who has proved who they are; empty for nobody. It has to be the person whom the link is for.

        Raises:
            Conflict: It is decided already, which says who decided what; or the link was used before.
            Forbidden: This person may not decide it, or not by a link alone.
            InvalidInput: No such decision.
            Whatever `show` raises.
        """
        found, claim = self.show(token, gate=gate)
        # What the link says, not how it is written: base64 has many ways to write one token.
        answer_id = f"link.{sha256(json.encode(claim)).hexdigest()[:32]}"
        if known := _vote(found, answer_id):
            raise _used(found, known)
        if signed_in and person(signed_in) != claim.approver:
            raise Forbidden(
                f"This link was made for {claim.approver}, and you have signed in as {signed_in}.",
                remedy="Use a link of your own, or sign in as that person.",
                code="link_of_another",
            )
        if found.waiting and needs_sign_in(found) and not signed_in:
            raise Unauthenticated(
                "This gate has to know for sure who decides. A link alone does not say it.",
                remedy=f"Send your token along, or decide it with: entracte approve {found.id}",
                code="sign_in_needed",
            )
        words = WORDS[found.z.kind]
        if words and decision not in words:
            raise InvalidInput(
                f"{decision[:100]!r} is no decision. It is one of: {', '.join(words)}.",
                pointer="/decision",
                code="unknown_decision",
            )
        after = self._gates.decide(
            claim.gate,
            decision,
            user=claim.approver,
            via="link",
            digest=claim.digest,
            reason=reason,
            answer_id=answer_id,
        )
        counted = _vote(after, answer_id)
        kept = self._engine.withholding.mask(found.z.owner, decision)
        if counted is None or counted.decision != kept:  # the link was used twice at the same time
            raise _used(after, counted)
        return after, claim

    def renew(self, token: str) -> None:
        """Send a new link to whom this one was for, if the gate still waits for them. Whether it does is not told.

        Raises:
            Forbidden: The link was not made here.
            NotFound: Links are off.
            RetryableError: It could not be sent now.
        """
        claim = self._links.read(token)
        try:
            gate = self._gates.get(claim.gate, user=claim.approver)
        except NotFound:
            return
        if gate.waiting and self._claim_renewal(gate, claim.approver):
            self._send(gate, claim.approver)

    def _claim_renewal(self, gate: Gate, approver: str) -> bool:
        """Whether a link may be sent now. The journal entry that says so is there only once in its time."""
        number = int(self._engine.clock.now().timestamp()) // RENEWAL_EVERY_S
        move = f"{gate.z.number}.link.{sha256(approver.encode()).hexdigest()[:8]}.{number}"
        entry = entry_path(gate.run, f"{gate.z.action}.{move}")

        def decide(s: Situation) -> Outcome:
            action = s.docs.action(gate.run, gate.z.action)
            if action is None or s.docs.find(entry, Entry) is not None:
                return nothing("a new link was sent just now")
            return Outcome(entry=action_entry(s, action, move, phase="approve"))

        return self._engine.apply((action_path(gate.run, gate.z.action), entry), decide).entry is not None


def needs_sign_in(gate: Gate) -> bool:
    """A link may be passed on. Where two different people have to agree, one could hold the links of both."""
    return gate.z.four_eyes or gate.z.quorum > 1


def _vote(gate: Gate, id: str) -> Vote | None:
    return next((vote for vote in gate.votes if vote.id == id), None)


def _used(gate: Gate, vote: Vote | None) -> Conflict:
    """What a link that was used before is answered with."""
    if not gate.waiting:
        return Conflict(f"The gate {gate.ending()}.", code="gate_already_decided")
    said = f": {vote.by} said {vote.decision[:100]}, which did not count. {vote.note}" if vote is not None else "."
    return Conflict(f"This link was used before{said}", remedy="Ask for a new one.", code="link_used")
