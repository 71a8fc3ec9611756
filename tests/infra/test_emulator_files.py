"""Where the emulators are found (infra/emulator_files.py)."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from emulator_files import EmulatorMissing, command


@pytest.fixture(autouse=True)
def empty_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with a Java and no emulator, whose downloads go nowhere."""
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\necho 'openjdk version \"21.0.1\" 2023-10-17' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))
    monkeypatch.setenv("FIREBASE_EMULATORS_PATH", str(tmp_path / "cache"))
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("FIRESTORE_EMULATOR_JAR", raising=False)
    monkeypatch.setattr("emulator_files._gcloud_roots", lambda: iter([tmp_path / "sdk"]))


def jar(path: Path, *, main_class: str, java: int, named: bool = True) -> Path:
    """A jar whose main class was compiled for that version of Java."""
    path.parent.mkdir(parents=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\r\nMain-Class: {main_class}\r\n" * named)
        archive.writestr(
            main_class.replace(".", "/") + ".class", b"\xca\xfe\xba\xbe\0\0" + (java + 44).to_bytes(2, "big")
        )
    return path


FIRESTORE = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"


def test_gclouds_jar_is_started_by_its_class_since_it_names_none(tmp_path: Path):
    """`java -jar` would refuse it."""
    found = jar(
        tmp_path / "sdk/platform/cloud-firestore-emulator/cloud-firestore-emulator.jar",
        main_class=FIRESTORE,
        java=11,
        named=False,
    )
    words = command("firestore", host="127.0.0.1", port=7)
    assert words[0] == str(tmp_path / "java/bin/java")
    assert words[words.index("-cp") :] == ["-cp", str(found), FIRESTORE, "start", "--host=127.0.0.1", "--port=7"]


def test_firebase_tools_cache_is_used_where_gcloud_has_none(tmp_path: Path):
    """Its pubsub emulator lies deep in a folder of its version."""
    found = jar(
        tmp_path / "cache/pubsub-emulator-0.8.37/pubsub-emulator/lib/cloud-pubsub-emulator-0.8.37-all.jar",
        main_class="any.Main",
        java=11,
    )
    words = command("pubsub", host="127.0.0.1", port=7)
    assert words[words.index("-jar") :] == ["-jar", str(found), "--host=127.0.0.1", "--port=7"]


def test_a_jar_given_by_variable_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A person who sets it means it."""
    jar(tmp_path / "cache/cloud-firestore-emulator-v1.22.0.jar", main_class=FIRESTORE, java=11)
    given = jar(tmp_path / "own/firestore.jar", main_class=FIRESTORE, java=11)
    monkeypatch.setenv("FIRESTORE_EMULATOR_JAR", str(given))
    assert str(given) in command("firestore", host="127.0.0.1", port=7)


@pytest.mark.parametrize("content", [None, b"no archive"])
def test_a_variable_that_names_no_emulator_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
):
    """Another one in its place would be a surprise."""
    given = tmp_path / "firestore.jar"
    if content is not None:
        given.write_bytes(content)
    monkeypatch.setenv("FIRESTORE_EMULATOR_JAR", str(given))
    with pytest.raises(EmulatorMissing, match=r"firestore\.jar"):
        command("firestore", host="127.0.0.1", port=7)


def test_without_any_the_error_says_what_to_install(capsys: pytest.CaptureFixture[str]):
    """And that it tried to fetch it is said before it tries."""
    with pytest.raises(EmulatorMissing) as missing:
        command("firestore", host="127.0.0.1", port=7)
    assert "not installed; fetching https://" in capsys.readouterr().err
    for remedy in (
        "apt-get install google-cloud-cli-firestore-emulator",
        "gcloud components install",
        "FIRESTORE_EMULATOR_JAR",
    ):
        assert remedy in str(missing.value)
