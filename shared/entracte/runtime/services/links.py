"""Signed links: an address at which one person can decide one gate, as it was shown, for some time.

The token stands in the fragment of the address, which browsers keep to themselves: no server and no log sees it before
the page posts it.
"""

from __future__ import annotations

import hashlib
import logging
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct, ValidationError, convert
from msgspec.structs import asdict

from entracte.core.documents.gate import Gate
from entracte.core.gates.people import person
from entracte.errors import ConfigurationError, Forbidden, NotFound
from entracte.ports.clock import Clock
from entracte.ports.secrets import Secrets

if TYPE_CHECKING:
    from itsdangerous.url_safe import URLSafeSerializer

log = logging.getLogger("entracte")

KEY = "ENTRACTE_LINK_KEY"
"""Secret that links are signed with. Several, separated by blanks, are all accepted; the last one signs."""

MIN_KEY_CHARS = 32

LIFE = timedelta(days=7)
"""How long a link can be used. A gate may wait for longer; its page then offers a new link."""


class Claim(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a token says.

    Attributes:
        gate: Id.
        digest: Of the arguments that the notice showed.
        approver: Who may decide with it.
        until: Unix time in seconds.
    """

    gate: str
    digest: str
    approver: str
    until: int


class Links:
    """Signs links, and reads what they say.

    Args:
        public_url: What links begin with; empty for none.
    """

    def __init__(self, secrets: Secrets, clock: Clock, *, public_url: str = "") -> None:
        self._secrets = secrets
        self._clock = clock
        self.public_url = public_url.rstrip("/")

    def link_for(self, gate: Gate, approver: str, *, fresh: bool = False) -> str:
        """Where this person can decide the gate; without a token where links are off, and empty without an address.

        Args:
            fresh: The link is another one than before. Otherwise those of one hour are the same, so that a notice that
                is sent again is the same notice.
        """
        page = self.page_of(gate)
        until = int((self._clock.now() + LIFE).timestamp())
        claim = Claim(
            gate=gate.id,
            digest=gate.z.digest,
            approver=person(approver),
            until=until if fresh else until - until % 3600,
        )
        try:
            return f"{page}#t={self.sign(claim)}" if page else ""
        except NotFound as off:
            log.info("link_not_signed gate=%s %s", gate.id, off)
            return page

    def page_of(self, gate: Gate) -> str:
        """The page of a gate, which shows nothing by itself; empty without an address."""
        return f"{self.public_url}/gates/{gate.id}" if self.public_url else ""

    def sign(self, claim: Claim) -> str:
        """The token.

        Raises:
            NotFound: Links are off.
        """
        return self._signing().dumps(asdict(claim))

    def read(self, token: str) -> Claim:
        """What a token says, perhaps of a time that has passed.

        Raises:
            Forbidden: It was not signed here, or was changed since.
            NotFound: Links are off.
        """
        from itsdangerous import BadData

        try:
            return convert(self._signing().loads(token), Claim)
        except (BadData, ValidationError):
            raise Forbidden(
                "This link was not made here, or not all of it has arrived.",
                remedy="Open it from the notice once more.",
                code="link_invalid",
            ) from None

    def is_over(self, claim: Claim) -> bool:
        """Its time has passed."""
        return datetime.fromtimestamp(claim.until, UTC) <= self._clock.now()

    def _signing(self) -> URLSafeSerializer:
        from itsdangerous.url_safe import URLSafeSerializer  # a function that signs nothing need not load it

        off = "Links to gates are off."
        try:
            keys = self._secrets.get(KEY).split()
        except ConfigurationError as missing:
            raise NotFound(f"{off} {missing}", code="links_off") from None
        if not keys or any(len(key) < MIN_KEY_CHARS for key in keys):
            raise NotFound(f"{off} {KEY} has less than {MIN_KEY_CHARS} characters.", code="links_off")
        how = {"key_derivation": "hmac", "digest_method": hashlib.sha256}
        return URLSafeSerializer(keys, salt="entracte gate link", signer_kwargs=how)
