"""Files from the web (infra/download.py), here from a server in this process."""

from __future__ import annotations

import functools
import hashlib
import threading
import zipfile
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from download import Download, DownloadFailed


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Stay silent."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address under which its files are served."""
    folder = tmp_path / "site"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield folder, "http://{}:{}/".format(*server.server_address)
    server.shutdown()
    server.server_close()


def known(url: str, content: bytes) -> Download:
    """A download that expects that content."""
    return Download(url=url, size_bytes=len(content), sha256=hashlib.sha256(content).hexdigest())


def test_a_file_lands_under_its_name(site: tuple[Path, str], tmp_path: Path):
    """And nothing beside it."""
    folder, address = site
    (folder / "tool.jar").write_bytes(b"content")
    assert known(address + "tool.jar", b"content").into(tmp_path / "cache") == tmp_path / "cache" / "tool.jar"
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["tool.jar"]
    assert (tmp_path / "cache" / "tool.jar").read_bytes() == b"content"


@pytest.mark.parametrize("served", [b"other!!", b"short", b"much too long"])
def test_another_file_than_expected_is_not_kept(site: tuple[Path, str], tmp_path: Path, served: bytes):
    """A program that is run must be the one that was meant."""
    folder, address = site
    (folder / "tool.jar").write_bytes(served)
    with pytest.raises(DownloadFailed, match="is not the file of 7 bytes that was expected"):
        known(address + "tool.jar", b"content").into(tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


def test_an_archive_becomes_a_folder_whose_programs_can_run(site: tuple[Path, str], tmp_path: Path):
    """As firebase-tools leaves it in the same cache."""
    folder, address = site
    with zipfile.ZipFile(folder / "tool-1.2.zip", "w") as archive:
        archive.writestr("tool/bin/run", "#!/bin/sh\n")
        archive.writestr("tool/lib/tool.jar", "content")
    unpacked = known(address + "tool-1.2.zip", (folder / "tool-1.2.zip").read_bytes()).into(tmp_path / "cache")
    assert unpacked == tmp_path / "cache" / "tool-1.2"
    assert (unpacked / "tool/bin/run").stat().st_mode & 0o111 == 0o111
    assert (unpacked / "tool/lib/tool.jar").read_text() == "content"


def test_no_answer_is_a_failure_that_names_the_address(tmp_path: Path):
    """Not a traceback."""
    with pytest.raises(DownloadFailed, match=r"http://127\.0\.0\.1:9/tool\.jar could not be fetched: .*refused"):
        known("http://127.0.0.1:9/tool.jar", b"content").into(tmp_path / "cache")
