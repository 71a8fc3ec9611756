"""Where the emulators' programs and a Java are: installed already, or fetched as firebase-tools does.

The first that exists of: the jar that ``FIRESTORE_EMULATOR_JAR`` or ``PUBSUB_EMULATOR_JAR`` names, gcloud's component,
firebase-tools' cache, the download that firebase-tools makes, into that same cache.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from download import Download, DownloadFailed
from java import find_java

Name = Literal["firestore", "pubsub"]

_DROP = "https://storage.googleapis.com/firebase-preview-drop/emulator/"

_JVM_OPTIONS = (
    "-Duser.language=en",  # Firestore's speaks English only
    "-XX:TieredStopAtLevel=1",  # with the serial collector: a third less CPU until it is ready
    "-XX:+UseSerialGC",
)


class EmulatorMissing(Exception):
    """An emulator, or the Java it needs, is not installed and could not be fetched. Says what to install."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What sets one emulator apart from the other.

    Attributes:
        in_gcloud: Glob pattern of its jar below gcloud's folder.
        in_cache: The same below firebase-tools' cache.
        download: What firebase-tools 15.34 fetches (its downloadableEmulatorInfo.json).
        package: Debian package in Google's apt repository.
        component: Component of gcloud.
        main_class: Of a jar that names none itself.
        verb: First argument of the program, or nothing.
    """

    in_gcloud: str
    in_cache: str
    download: Download
    package: str
    component: str
    main_class: str
    verb: tuple[str, ...]


KINDS: dict[Name, Kind] = {
    "firestore": Kind(
        in_gcloud="platform/cloud-firestore-emulator/cloud-firestore-emulator.jar",
        in_cache="cloud-firestore-emulator-v*.jar",
        download=Download(
            url=_DROP + "cloud-firestore-emulator-v1.22.0.jar",
            size_bytes=136_707_194,
            sha256="9b6498b7f62714d67f48f59b3818883cd682dbcd46b9f59511de81c97bb5166c",
        ),
        package="google-cloud-cli-firestore-emulator",
        component="cloud-firestore-emulator",
        main_class="com.google.cloud.datastore.emulator.firestore.CloudFirestore",
        verb=("start",),
    ),
    "pubsub": Kind(
        in_gcloud="platform/pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar",
        in_cache="pubsub-emulator-*/pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar",
        download=Download(
            url=_DROP + "pubsub-emulator-0.8.37.zip",
            size_bytes=53_029_797,
            sha256="c83383e0c71633e58abad6fdc9c0312c7d0f6a5a34236c42e3f92eb24ded1c26",
        ),
        package="google-cloud-cli-pubsub-emulator",
        component="pubsub-emulator",
        main_class="com.google.cloud.pubsub.testing.v1.Main",
        verb=(),
    ),
}


def command(name: Name, *, host: str, port: int) -> list[str]:
    """The command that runs an emulator; its own arguments may be added at the end.

    Raises:
        EmulatorMissing: The program or Java is not there and could not be fetched.
    """
    kind = KINDS[name]
    jar = Path()
    try:
        jar = _installed(name) or _fetched(name)
        own_class = _main_class(jar)
        java = find_java(oldest=_java_version(jar, own_class or kind.main_class))
    except DownloadFailed as error:
        raise EmulatorMissing(_how_to_install(name, error)) from None
    except (zipfile.BadZipFile, KeyError) as error:
        raise EmulatorMissing(f"{jar} is not the {name} emulator: {error}") from None
    program = ["-jar", str(jar)] if own_class else ["-cp", str(jar), kind.main_class]
    return [str(java), *_JVM_OPTIONS, *program, *kind.verb, f"--host={host}", f"--port={port}"]


def _installed(name: Name) -> Path | None:
    """The jar that is on this machine already."""
    kind, variable = KINDS[name], f"{name.upper()}_EMULATOR_JAR"
    if given := os.environ.get(variable):
        if not Path(given).is_file():
            raise EmulatorMissing(f"{variable} is {given}, which is not a file. Correct it, or unset it.")
        return Path(given)
    places = [*((root, kind.in_gcloud) for root in _gcloud_roots()), (_cache(), kind.in_cache)]
    # Of several versions the one that was put there last.
    found = (max(root.glob(pattern), key=lambda jar: jar.stat().st_mtime, default=None) for root, pattern in places)
    return next((jar for jar in found if jar is not None), None)


def _gcloud_roots() -> Iterator[Path]:
    if gcloud := shutil.which("gcloud"):
        yield Path(gcloud).resolve().parent.parent
    yield Path("/usr/lib/google-cloud-sdk")  # apt and yum
    yield Path("/snap/google-cloud-cli/current")
    yield Path("/opt/homebrew/share/google-cloud-sdk")
    yield Path("/usr/local/share/google-cloud-sdk")
    yield Path("~/google-cloud-sdk").expanduser()  # the installer's


def _cache() -> Path:
    """Where firebase-tools keeps its emulators."""
    return Path(os.environ.get("FIREBASE_EMULATORS_PATH") or "~/.cache/firebase/emulators").expanduser()


def _fetched(name: Name) -> Path:
    """The jar, fetched into firebase-tools' cache under the name that firebase-tools gives it.

    Raises:
        DownloadFailed: It could not be fetched.
    """
    kind, cache = KINDS[name], _cache()
    print(
        f"{name} emulator: not installed; fetching {kind.download.url} "
        f"({kind.download.size_bytes / 1e6:.0f} MB, once) into {cache}",
        file=sys.stderr,
        flush=True,
    )
    kind.download.into(cache)
    return next(cache.glob(kind.in_cache))


def _main_class(jar: Path) -> str:
    """What ``java -jar`` runs; empty for gcloud's Firestore jar, which does not say (firebase-tools' does)."""
    with zipfile.ZipFile(jar) as archive:
        manifest = archive.read("META-INF/MANIFEST.MF").decode().replace("\r\n ", "").replace("\n ", "")
    found = re.search(r"^Main-Class: *(\S+)", manifest, re.MULTILINE)
    return found[1] if found else ""


def _java_version(jar: Path, main_class: str) -> int:
    """The oldest Java that can load the jar's main class: the class file's format says so (JVMS 4.1)."""
    with zipfile.ZipFile(jar) as archive, archive.open(main_class.replace(".", "/") + ".class") as code:
        return int.from_bytes(code.read(8)[6:8], "big") - 44


def _how_to_install(name: Name, error: DownloadFailed) -> str:
    kind = KINDS[name]
    return f"""The {name} emulator cannot be run here: {error}
Do one of these:
  Debian, Ubuntu      apt-get install {kind.package} default-jre-headless
                      (from Google's apt repository: https://cloud.google.com/sdk/docs/install#deb)
  gcloud              gcloud components install {kind.component}
  a jar of your own   set {name.upper()}_EMULATOR_JAR to its path
  one that runs       set {name.upper()}_EMULATOR_HOST to its host:port
Java: the emulator needs one; set JAVA_HOME, or have java on the path."""
