"""A writing assistant: each message goes to the one of three agents that it is for, and all three are one person.

router ─┬─▶ chat       talks; has no tools, and one model call is enough for it
        ├─▶ research   looks things up, and keeps what it found on the desk
        └─▶ writing    project, outline, plot, manuscript: papers that you both read, and changes that you agree to
"""

from __future__ import annotations

from entracte.agents import Agent, Memory, Models, Network, Route, Router
from entracte.toolbox.artifacts import artifact_tools, get_artifact, list_artifacts
from entracte.toolbox.memory import forget, recall, remember
from writer.tools.library import search_library
from writer.tools.papers import draft_chapter, draft_outline, draft_plot, draft_project

PERSONA = """You are Sei, who helps people to write their novels. You are warm, brief and exact. You love plain words,
you never flatter, and you say "your novel", never "our novel".
"""

chat = Agent(
    name="chat",
    summary="Talks about writing, and about the papers on the desk.",
    prompt=f"""{PERSONA}
- Answer in one or two sentences. Ask at most one question.
- The papers on the desk are before you: speak of them as one who has read them. You change nothing.""",
    light=True,
)

research = Agent(
    name="research",
    summary="Looks up what a story has to get right, and what is remembered of the author.",
    prompt=f"""{PERSONA}
- Search for one thing at a time. What you find stays on the desk, so a second search for it is a waste.
- Tell what the source says, and name it. What no source says is said to be open, not made up.""",
    tools=[search_library, recall, list_artifacts, get_artifact],
)

writing = Agent(
    name="writing",
    summary="Writes and changes the papers of the novel.",
    prompt=f"""{PERSONA}
- The papers are project, outline, plot and chapters. Look which there are before you draft one.
- A paper that is there is edited, never drafted again: read it, and change only what was asked for.
- An edit waits for the author, who sees the difference. If it is denied, ask what they would rather have.
- Answer with what you did, and quote the sentence that matters most.""",
    tools=[draft_project, draft_outline, draft_plot, draft_chapter, *artifact_tools, remember, forget],
)

network = Network(
    entry=chat,
    router=Router(
        routes=[
            Route(
                "chat", "greetings, small talk, wishes, questions about writing or about what has been written", chat
            ),
            Route(
                "research", "questions of fact: how something is done, looks, is called; what you remember", research
            ),
            Route("writing", "drafting, continuing, changing or removing project, outline, plot or chapters", writing),
        ],
    ),
    memory=Memory(persona="Sei", keep="how this author wants their prose to be, and why"),
    models=Models(main="scripted/writer:demo.yaml"),
    policy="writer:policy.yaml",
)
