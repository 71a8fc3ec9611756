"""What a tool may know and ask for while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Literal, TypeVar

from entracte.core.calls import Call, Directives
from entracte.core.documents.action import Action
from entracte.core.modelling import ModelReply, Question, Usage
from entracte.core.payload import Payload, canonical, readable
from entracte.errors import ConfigurationError, InvalidInput, ModelRefused
from entracte.ports.memories import Memories
from entracte.ports.shelf import Shelf

MAX_DIFF_BYTES = 500_000
"""State changes of one call, as JSON."""

MAX_ANSWER_CHARS = 500_000
"""Longest answer that `ToolContext.terminate` gives."""

MAX_ASKED = 4
"""How often one call may ask a model."""

MAX_PROMPT_CHARS = 200_000
"""Of one question to a model."""

MAX_REPORTS = 100
"""How often one call may tell its progress."""

Deps = TypeVar("Deps")


class ToolContext(Generic[Deps]):
    """Injected into the parameter that is annotated with it; never part of the tool's schema.

    Attributes:
        run_id, session_id, agent, step: Where the call comes from.
        user: Owner of the run.
        metadata: Labels that the caller of the run gave.
        deps: What the network's `deps` opened.
        artifacts: Artifacts that the session sees.
        memories: What is remembered of the run's owner.
        idempotency_key: Equal for every attempt of this call; hand it on to services that honour one.
        attempt: 1 for the first.
        deadline_ms: Unix time in milliseconds at which the call must have ended.
        may_ask: It may ask models: the call is an agent's, and is being prepared or made.
        usage: What models have used that were asked so far.
        doubt: What is odd about the result, told beside it.
        native: What an MCP server answered, as it came; see `entracte.core.calls.ServerAnswer`.
    """

    def __init__(
        self,
        call: Call,
        *,
        deps: Callable[[], Deps],
        read_state: Callable[[Call], Mapping[str, Any]],
        secret: Callable[[str], str],
        shelf: Callable[[Call], Shelf] | None = None,
        memories: Callable[[Call], Memories] | None = None,
        report: Callable[[Call, str], bool] = lambda call, text: False,
        ask: Callable[[Call, Question, Usage], ModelReply] | None = None,
        read_actions: Callable[[Call], Sequence[Action]] = lambda call: (),
    ) -> None:
        self.run_id = call.run
        self.session_id = call.session
        self.agent = call.agent
        self.step = call.step
        self.user = call.user
        self.metadata = call.metadata
        self.idempotency_key = call.idempotency_key
        self.attempt = call.attempt
        self.deadline_ms = int(call.deadline.timestamp() * 1000)
        self.native: Mapping[str, Any] | None = None
        self.doubt = ""
        self._call = call
        self._deps = deps
        self._read_state = read_state
        self._secret = secret
        self._shelf = shelf
        self._memories = memories
        self._state: list[Mapping[str, Any]] = []
        self._disabled_tools: list[str] = []
        self._disabled_agents: list[str] = []
        self._terminate: Any = None
        self._report = report
        self._ask = ask
        self._asked = 0
        self.may_ask = True
        self.usage = Usage()
        self._read_actions = read_actions
        self._progress: list[str] = []
        self._reports = 0

    @property
    def deps(self) -> Deps:
        return self._deps()

    @property
    def artifacts(self) -> Shelf:
        """A changing tool gives `idempotency_key` for the key of what it writes."""
        if self._shelf is None:
            raise ConfigurationError("This context has no artifacts.", remedy="Give it a shelf.")
        return self._shelf(self._call)

    @property
    def memories(self) -> Memories:
        """A changing tool gives `idempotency_key` for the key of what it writes."""
        if self._memories is None:
            raise ConfigurationError("This context has no memories.", remedy="Give it some.")
        return self._memories(self._call)

    @property
    def state(self) -> Mapping[str, Any]:
        """Global and local state as they are now: key → list of ``{"id", "text"}``. Read when it is asked for."""
        return self._read_state(self._call)

    @property
    def actions(self) -> Sequence[Action]:
        """The run's calls so far, this one among them, as they are now. Read when it is asked for."""
        return self._read_actions(self._call)

    def update_state(self, diff: Mapping[str, Any]) -> None:
        """Change state item by item, with the step's results. See `entracte.core.state`."""
        self._state.append(self._kept(diff))

    def progress(self, text: str) -> None:
        """Tell whoever watches how far the call is, at once; the first hundred times in a call."""
        if (said := self._reports) < MAX_REPORTS:
            self._reports = said + 1
            shown = readable(str(text), 500)
            if not self._report(self._call, shown):
                self._progress.append(shown)

    def secret(self, name: str) -> str:
        """A secret's current value. Never put it into a result."""
        return self._secret(name)

    def ask_model(
        self,
        prompt: str,
        *,
        schema: Mapping[str, Any] | None = None,
        purpose: Literal["assist", "edit"] = "assist",
        max_output_tokens: int = 1024,
    ) -> Any:
        """Ask the network's light model (for ``edit``, the one for edits), out of the run's budget; up to four times.

        Args:
            schema: JSON Schema of the answer; without, it is text.

        Raises:
            ModelRefused: Its answer cannot be used, nothing is left to pay for it, or none may be asked here: while a
                call is taken back or its record is read.
            ModelUnavailable: Its service is down.
        """
        if self._ask is None or not self.may_ask:
            raise ModelRefused("No model may be asked here.", remedy="Ask while an agent's call is prepared or made.")
        if self._asked >= MAX_ASKED or len(prompt) > MAX_PROMPT_CHARS:
            raise ModelRefused(f"A call asks models {MAX_ASKED} times, with {MAX_PROMPT_CHARS:,} characters, at most.")
        self._asked += 1
        question = Question(purpose=purpose, prompt=prompt, schema=schema, max_output_tokens=max_output_tokens)
        reply = self._ask(self._call, question, self.usage)
        self.usage += reply.usage
        if reply.fault is not None:
            raise ModelRefused(f"The model's answer is of no use. {reply.fault.message}")
        return reply.value

    def disable_tool(self, name: str) -> None:
        """Take a tool out of the agent's context for the rest of its frame."""
        self._disabled_tools.append(readable(str(name), 200))

    def disable_agent(self, name: str) -> None:
        """Take a sub-agent out of the agent's context for the rest of its frame."""
        self._disabled_agents.append(readable(str(name), 200))

    def terminate(self, answer: Any) -> None:
        """End the agent's frame with this answer once the step's calls have ended.

        Args:
            answer: Text, or a JSON value for agents with an output schema. One that does not fit ends nothing, and the
                agent is told.
        """
        try:
            is_text = isinstance(answer, str) or len(canonical(answer)) > MAX_ANSWER_CHARS
        except InvalidInput:
            is_text = True
        self._terminate = readable(str(answer), MAX_ANSWER_CHARS) if is_text else answer

    def directives(self) -> Directives:
        """What was asked for so far."""
        return Directives(
            state=tuple(self._state),
            disabled_tools=tuple(self._disabled_tools),
            disabled_agents=tuple(self._disabled_agents),
            terminate=self._terminate,
        )

    def reported(self) -> tuple[str, ...]:
        """What `progress` was told so far and nobody else has heard yet."""
        return tuple(self._progress)

    def _kept(self, diff: Any) -> Any:
        """The diff as it is now; in its place, why it cannot be kept, which is refused and told as any bad diff is.

        Raising would make a call that went well look as if nobody knew how it ended.
        """
        try:
            kept = Payload.of([[diff]])  # as deep as it will lie among the directives
        except InvalidInput as error:
            return str(error)
        if sum(len(str(before)) for before in self._state) + kept.size_bytes > MAX_DIFF_BYTES:
            return f"More than {MAX_DIFF_BYTES:,} bytes of state changes in one call."
        return kept.value[0][0]
