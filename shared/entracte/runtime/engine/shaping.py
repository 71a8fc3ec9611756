"""Running the functions that a pipeline's author gave for its stages.

They are called again when a message is delivered again: they change nothing and depend on their argument only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from entracte.agents.pipeline import Pipeline
from entracte.core.effects import Shaped, ShapeStage
from entracte.errors import TerminalError


def shape(pipelines: Mapping[str, Pipeline], wanted: ShapeStage) -> Shaped | TerminalError:
    """The last stage's result, transformed, and the next stage's task; or what a function raised."""
    stages = pipelines[wanted.pipeline].stages
    result = wanted.result
    try:
        if wanted.transform is not None:
            where = f"The transform of stage {wanted.transform + 1}"
            result = _called(stages[wanted.transform].transform, result)
        if wanted.task is None:
            return Shaped(result=result)
        where = f"The task of stage {wanted.task + 1}"
        return Shaped(result=result, task=_called(stages[wanted.task].task, result))
    except Exception as error:  # noqa: BLE001 - an author's function may raise anything; the pipeline ends with it
        return TerminalError(f"{where} of {wanted.pipeline} failed: {type(error).__name__}: {error}"[:1000])


def _called(function: Callable[[Any], Any] | Any, value: Any) -> Any:
    if not callable(function):
        raise TypeError("it is no function any more")
    return function(deepcopy(value))  # what it does to its argument is nobody's business
