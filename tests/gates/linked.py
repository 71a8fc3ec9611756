"""A scene whose gates can be decided by signed links, and the mail that carries them."""

from __future__ import annotations

from msgspec.structs import replace

from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.core.documents.gate import Gate
from entracte.errors import TerminalError
from entracte.runtime.services.announcing import Announcer
from entracte.runtime.services.links import KEY, Links
from tests.gates.scene import Scene
from tests.notify.test_announcing import Told

SECRET = "a secret that signs links to gates".replace(" ", "-")
URL = "https://desk.example"


class Linked:
    """Links over a scene.

    Args:
        alone: Whom mail reaches.
        key: Secret that signs; empty for none.

    Attributes:
        mail: Notices that were sent.
        process: The scene's, with links.
    """

    def __init__(self, scene: Scene, *alone: str, key: str = SECRET) -> None:
        self.scene = scene
        self.mail = Told("mail", alone=alone)
        secrets = EnvironmentSecrets({KEY: key})
        self.signing = Links(secrets, scene.world.clock, public_url=URL)
        announcer = Announcer([self.mail], self.signing)
        self.process = replace(scene.world.process, secrets_port=secrets, send_link=announcer.send_link)
        self.links = self.process.links

    def token(self, approver: str, gate: Gate | None = None, /, **changed: object) -> str:
        """The token of a link as it is sent, or with something else in it that was signed by us all the same."""
        found = gate or self.scene.gate
        token = token_of(self.signing.link_for(found, approver, fresh=True))
        return self.signing.sign(replace(self.signing.read(token), **changed)) if changed else token

    def refusal(self, token: str, decision: str = "approve", **how: str) -> str:
        """The code that an attempt to decide is refused with."""
        try:
            self.links.decide(token, decision, **how)
        except TerminalError as error:
            return error.code
        return ""


def token_of(link: str) -> str:
    """What follows ``#t=``."""
    return link.partition("#t=")[2]
