"""A file from the web that is known by its size and hash."""

from __future__ import annotations

import hashlib
import tempfile
import time
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

_SILENCE_S = 30
_TOTAL_S = 900
_CHUNK_BYTES = 1024 * 1024


class DownloadFailed(Exception):
    """The file could not be fetched, or is not the one that was expected. Nothing was kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """Where a file is, and how to know it.

    Attributes:
        sha256: Hex digest.
    """

    url: str
    size_bytes: int
    sha256: str

    def into(self, folder: Path) -> Path:
        """Fetch it, and give its path. It appears whole and checked, or not at all.

        A zip file is unpacked, into a folder of its name, and that folder's path given.

        Raises:
            DownloadFailed: No answer, too slow, another size or hash, or no room for it.
        """
        name = self.url.rpartition("/")[2]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder, prefix=".fetching-") as workplace:
                part = Path(workplace) / name
                self._fetch(part)
                if part.suffix == ".zip":
                    part = _unpacked(part)
                return part.replace(folder / part.name)
        except OSError as error:
            raise DownloadFailed(f"{self.url} could not be fetched: {error}") from None

    def _fetch(self, target: Path) -> None:
        digest, left, deadline = hashlib.sha256(), self.size_bytes, time.monotonic() + _TOTAL_S
        with urllib.request.urlopen(self.url, timeout=_SILENCE_S) as answer, target.open("wb") as file:
            while chunk := answer.read(_CHUNK_BYTES):
                left -= len(chunk)
                if left < 0 or time.monotonic() > deadline:
                    break
                digest.update(chunk)
                file.write(chunk)
        if time.monotonic() > deadline:
            raise DownloadFailed(f"{self.url} took longer than {_TOTAL_S} s.")
        if left != 0 or digest.hexdigest() != self.sha256:
            raise DownloadFailed(f"{self.url} is not the file of {self.size_bytes:,} bytes that was expected.")


def _unpacked(archive: Path) -> Path:
    folder = archive.with_suffix("")
    with zipfile.ZipFile(archive) as content:
        content.extractall(folder)
    for program in folder.glob("**/bin/*"):
        program.chmod(0o755)  # zipfile drops the permission to run
    return folder
