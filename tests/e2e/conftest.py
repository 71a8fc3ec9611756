"""The whole product on the emulators, started once for all tests of this folder."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from stack import Stack


@pytest.fixture(scope="module")
def stack(firestore_emulator: str, pubsub_emulator: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Four function processes that serve the sample network, in a project and with a database of their own."""
    folder: Path = tmp_path_factory.mktemp("crm")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CRM_DATABASE", str(folder / "crm.sqlite3"))
        patch.setenv("CRM_OUTBOX", str(folder / "outbox"))
        patch.setenv("FIRESTORE_EMULATOR_HOST", firestore_emulator)
        patch.setenv("PUBSUB_EMULATOR_HOST", pubsub_emulator)
        lines: list[str] = []
        project = f"demo-e2e-{uuid.uuid4().hex[:8]}"
        with Stack(network="crm:network", project=project, on_line=lambda name, line: lines.append(line)) as running:
            yield running
        assert not [line for line in lines if "Traceback" in line], lines[-50:]
