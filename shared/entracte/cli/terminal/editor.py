"""A text in the editor of the person at the keyboard."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from entracte.errors import ConfigurationError
from entracte.runtime.settings import read_settings

_USUAL = ("vi", "nano")


def edited(text: str, *, suffix: str) -> str:
    """The text as the person left it.

    Raises:
        ConfigurationError: There is no editor, or it failed.
    """
    with tempfile.TemporaryDirectory(prefix="entracte-") as folder:
        file = Path(folder, f"edit{suffix}")
        file.write_text(text, "utf-8")
        command = [*_editor(), str(file)]
        try:
            subprocess.run(command, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise ConfigurationError(f"The editor failed: {error}.", remedy="Set EDITOR.") from None
        return file.read_text("utf-8")


def _editor() -> list[str]:
    """As other programs choose it: VISUAL, EDITOR, else one that is usually there."""
    variables = read_settings().variables
    chosen = variables.get("VISUAL", "").strip() or variables.get("EDITOR", "").strip()
    if found := shlex.split(chosen) if chosen else [name for name in _USUAL if shutil.which(name)][:1]:
        return found
    raise ConfigurationError("There is no editor.", remedy="Set EDITOR.")
