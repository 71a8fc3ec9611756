"""Drafting the papers of a novel. Each is an artifact: people see it, agents edit it, undo takes it back."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from entracte.agents import ToolContext, ToolError, tool
from entracte.toolbox.nothing_done import nothing_done

Title = Annotated[str, Field(min_length=1, max_length=120, description="By which it is found again.")]


class Chapter(BaseModel):
    """A chapter in the outline."""

    title: str
    happens: Annotated[str, Field(description="What happens, in one or two sentences.")]


class Thread(BaseModel):
    """Something that begins, and has to end."""

    name: str
    begins: Annotated[str, Field(description="The question that it opens, and where.")]
    ends: Annotated[str, Field(description="How it is answered, and where.")]


class Paper(BaseModel):
    """A paper that was put on the desk."""

    id: str
    title: str
    words: int


@tool(artifacts=True, idempotent=True, evaluation="Premise and reader are those that the author named.")
def draft_project(
    ctx: ToolContext[None],
    title: Title,
    premise: Annotated[str, Field(description="Who wants what, and what is in the way: one sentence.")],
    reader: Annotated[str, Field(description="Whom it is for, and how it should feel.")],
) -> Paper:
    """Begin a project: what the novel is to be."""
    return _draft(ctx, "project", title, f"{premise}\n\nFor: {reader}\n")


@tool(artifacts=True, idempotent=True, evaluation="Each chapter follows from the one before.")
def draft_outline(ctx: ToolContext[None], title: Title, chapters: list[Chapter]) -> Paper:
    """Draft the outline: the chapters in their order."""
    lines = (f"{number}. {c.title}: {c.happens}\n" for number, c in enumerate(chapters, 1))
    return _draft(ctx, "outline", title, "".join(lines))


@tool(artifacts=True, idempotent=True, evaluation="Each thread that begins ends.")
def draft_plot(ctx: ToolContext[None], title: Title, threads: list[Thread]) -> Paper:
    """Draft the plot: the threads that run through the chapters."""
    return _draft(ctx, "plot", title, "".join(f"- {t.name}: {t.begins} → {t.ends}\n" for t in threads))


@tool(artifacts=True, idempotent=True, evaluation="It does what the outline says, and reads as the project wants it.")
def draft_chapter(
    ctx: ToolContext[None], title: Title, text: Annotated[str, Field(min_length=1, description="The whole chapter.")]
) -> Paper:
    """Draft a chapter of the manuscript."""
    return _draft(ctx, "manuscript", title, text)


def _draft(ctx: ToolContext[None], kind: str, title: str, text: str) -> Paper:
    """Put a paper on the desk. Asked again with the same key, it is the same paper."""
    with nothing_done():
        there = [paper for paper in ctx.artifacts.list() if paper.title == title]
        if there and ctx.attempt == 1:
            raise ToolError(f"There is a paper {title!r} already.", remedy="Edit it, or choose another title.")
        made = ctx.artifacts.create(key=ctx.idempotency_key, title=title, text=text, tags=[kind])
    return Paper(id=made.id, title=made.title, words=len(text.split()))
