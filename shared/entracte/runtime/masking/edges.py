"""The edges of a network that masks."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from entracte.adapters.masking.finder import Finder
from entracte.adapters.masking.sealing import Sealer
from entracte.core.addresses import run_path
from entracte.core.calls import Call, ToolOutcome
from entracte.core.masking.placeholders import placeholders_in
from entracte.core.modelling import ModelReply, Question, Usage
from entracte.core.situation import Docs
from entracte.harness.mask import Mask
from entracte.ports.clock import Clock
from entracte.ports.model import Model
from entracte.ports.secrets import Secrets
from entracte.ports.shelf import Shelf
from entracte.ports.store import Store
from entracte.runtime.engine.delivery import Perform
from entracte.runtime.engine.edges import AskForTool, Edges
from entracte.runtime.engine.repository import Repository
from entracte.runtime.masking.effects import MaskedEffects
from entracte.runtime.masking.log import mask_log
from entracte.runtime.masking.masking import Masking
from entracte.runtime.masking.models import MaskedModel
from entracte.runtime.masking.vault import Vault

_MAX_REMEMBERED = 10_000


class MaskedEdges(Edges):
    """Masks what comes in, and opens what tools need. The keys are read when something is first sealed or opened."""

    streams = False  # a piece of a reply may end in the middle of what is masked

    def __init__(self, mask: Mask, store: Store, repository: Repository, secrets_port: Secrets, clock: Clock) -> None:
        sealer = Sealer(lambda: secrets_port.get(mask.key.name), mask.key.name)
        finder = Finder(mask.kinds, mask.patterns, mask.regions, mask.keep)
        self._masking = Masking(finder, Vault(store, sealer, clock.now))
        self._reveal_to = mask.reveal_to
        self._repository = repository
        self._owners: dict[str, str] = {}
        self._effects: MaskedEffects | None = None
        self.withholding = self._masking
        mask_log(self._masking.scrub)

    def models(self, open_model: Callable[[str], Model]) -> Callable[[str], Model]:
        return lambda name: MaskedModel(open_model(name), self._masking, self._owner_of)

    def effects(self, perform: Perform) -> Perform:
        self._effects = MaskedEffects(perform, self._masking, reveal_to=self._reveal_to, owner_of=self._owner_of)
        return self._effects

    def ended(self, call: Call, outcome: ToolOutcome) -> ToolOutcome:
        assert self._effects is not None
        return self._effects.ended(call, outcome)

    def asking(self, ask: AskForTool) -> AskForTool:
        """The model is shown placeholders for what the question holds. In its reply these are opened, and no others."""

        def opened(call: Call, question: Question, used: Usage) -> ModelReply:
            reply = ask(call, question, used)
            value = self._masking.reveal(call.user, reply.value, but=placeholders_in(question.prompt))
            return replace(reply, value=value)

        return opened

    def shelf(self, shelf: Shelf, owner: str, *, opens: bool) -> Shelf:
        from entracte.runtime.masking.shelf import MaskedShelf  # only for networks with artifacts

        return MaskedShelf(shelf, self._masking, owner=owner, opens=opens)

    def _owner_of(self, run_id: str) -> str:
        """The owner of a run. It never changes, so it is read once."""
        if run_id not in self._owners:
            run = Docs(self._repository.load((run_path(run_id),)).documents).run(run_id)
            if run is None:
                return ""
            if len(self._owners) >= _MAX_REMEMBERED:
                self._owners.clear()
            self._owners[run_id] = run.owner
        return self._owners[run_id]
