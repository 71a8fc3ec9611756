"""Reading price tables: the one that comes with Entracte, and the deployer's own before it.

A file is JSON or YAML::

    version: 1
    models:
      openai/qwen2.5: {prompt: 0, output: 0}              # on a machine of one's own
      "vertex/gemini-4-*": {prompt: 750000, cached: 75000, output: 3750000}   # micro-USD per million tokens
      some/model:                                         # prices that follow each other
        - {prompt: 750000, output: 3750000}
        - {prompt: 1500000, output: 7500000, since: 2027-01-01}
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeVar

from msgspec import Struct, ValidationError, convert

from entracte.core.pricing import Price, Prices
from entracte.errors import ConfigurationError

KNOWN = "entracte.runtime:prices.json"

T = TypeVar("T")


class _Table(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of prices. `as_of` and `sources` are for its readers."""

    version: Literal[1]
    as_of: str = ""
    sources: tuple[str, ...] = ()
    models: dict[str, Any] = {}


def read_prices(own: str = "") -> Prices:
    """The prices that are known here, with those of a file before them.

    Args:
        own: Path from the current folder, or ``package:resource``; empty for none.

    Raises:
        ConfigurationError: There is no such file, or it holds something else; names file and place.
    """
    return _read(own).over(_read(KNOWN)) if own else _read(KNOWN)


@cache
def _read(reference: str) -> Prices:
    package, colon, name = reference.partition(":")
    try:
        text = (resources.files(package) / name).read_text("utf-8") if colon else Path(reference).read_text("utf-8")
    except (OSError, ModuleNotFoundError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The prices {reference!r} cannot be read: {error}.") from None
    table = _fitting(_parsed(text, reference), _Table, reference)
    return Prices({name: _listed(given, f"{reference}: models/{name}") for name, given in table.models.items()})


def _listed(given: Any, place: str) -> list[Price]:
    """A model's prices: one, or several that follow each other."""
    return _fitting(given if isinstance(given, list) else [given], list[Price], place)


def _fitting(value: Any, kind: type[T], place: str) -> T:
    try:
        return convert(value, kind)
    except ValidationError as error:
        raise ConfigurationError(
            f"{place}: {error}.",
            remedy='Prices are written {"version": 1, "models": {"provider/name": {"prompt": …, "output": …}}}, in '
            "micro-USD per million tokens.",
        ) from None


def _parsed(text: str, reference: str) -> Any:
    if reference.endswith(".json"):
        try:
            return json.loads(text)
        except ValueError as error:
            raise ConfigurationError(f"{reference} is not JSON: {error}.") from None
    from ruamel.yaml import YAML  # slow to import: a deployment that starts cold writes JSON
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe", pure=True).load(text)
    except YAMLError as error:
        raise ConfigurationError(f"{reference} is not YAML: {error}.") from None
