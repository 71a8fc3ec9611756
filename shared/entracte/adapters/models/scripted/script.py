"""Where a script lies, and what is written in it."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from entracte.errors import ConfigurationError

MAX_SCRIPT_BYTES = 1024 * 1024

_RESOURCE = re.compile(r"(?P<package>[A-Za-z_][\w.]*):(?P<resource>[^:]+)")


def read_script_file(name: str) -> Any:
    """The content of a YAML or JSON file.

    Args:
        name: A path from the current folder, or ``package:resource``, such as ``crm:demo.yaml``.

    Raises:
        ConfigurationError: It cannot be read; names file, line and column.
    """
    text = _text(name)
    if len(text) > MAX_SCRIPT_BYTES:
        raise _unreadable(name, f"it has more than {MAX_SCRIPT_BYTES:,} characters")
    return _json(text, name) if name.endswith(".json") else _yaml(text, name)


def _text(name: str) -> str:
    resource = _RESOURCE.fullmatch(name)
    try:
        if resource is not None:
            return files(resource["package"]).joinpath(resource["resource"]).read_text("utf-8")
        return Path(name).read_text("utf-8")
    except (OSError, UnicodeDecodeError, ModuleNotFoundError) as error:
        raise _unreadable(name, str(error)) from None


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise _unreadable(name, str(error)) from None


def _yaml(text: str, name: str) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe", pure=True).load(text)
    except YAMLError as error:
        raise _unreadable(name, str(error)) from None


def _unreadable(name: str, why: str) -> ConfigurationError:
    remedy = "Name a file as scripted/FILE, from the current folder, or one in a package as scripted/PACKAGE:FILE."
    return ConfigurationError(f"The script {name!r} cannot be read: {why}.", remedy=remedy, code="bad_script")
