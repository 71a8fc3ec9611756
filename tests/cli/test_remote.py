"""The same commands on a network behind an API (remote_runner.py, remote_records.py)."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import stamina

from entracte.api.app import create_app
from entracte.cli.records.journal_reading import JournalReading
from entracte.cli.records.local_records import LocalRecords
from entracte.cli.records.records import Details
from entracte.ports.store import Store
from entracte.runtime.doors.callers import LoopbackUser
from entracte.runtime.loading import load_network
from entracte.runtime.local.embedded import open_embedded
from entracte.runtime.settings import Settings
from tests.api.serving import served
from tests.cli.conftest import NETWORKS, Done
from tests.gates.scene import Scene
from tests.gates.shop import Shop, raising


@dataclass(frozen=True, slots=True)
class Deployment:
    """An API and the store behind it."""

    url: str
    store: Store


@contextmanager
def deployment(network: str, folder: Path) -> Iterator[Deployment]:
    """A network of this folder behind an API."""
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(NETWORKS)
    embedded = open_embedded(load_network(network), Settings(store=str(folder / "entracte.db")))
    with served(create_app(embedded.runtime, identify=LoopbackUser("local"))) as url:
        yield Deployment(url, embedded.runtime.store)
    embedded.close()
    patch.undo()


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """The network of hostile.py."""
    with deployment("hostile:network", tmp_path_factory.mktemp("deployed")) as made:
        yield made


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Deployment]:
    """The network of stock.py, on the stock of the current folder."""
    with deployment("stock:network", tmp_path) as made:
        yield made


def test_commands_work_behind_an_api(call: Callable[..., Done], deployed: Deployment, tmp_path: Path):
    """Asked, watched, listed and shown as if it ran here; nothing is left in the current folder."""
    here = ["--url", deployed.url]
    done = call("run", "fetch", *here)
    assert (done.code, done.out.startswith("red text [bold]not bold[/bold]")) == (0, True), done.err
    assert [line[19:32].rstrip() for line in done.err.splitlines()[1:-1]] == [
        "plan 1      ·", "plan 1      →", "execute 1   ✓", "evaluate 1  f",
    ]  # fmt: skip
    assert " succeeded · 2 steps · 1 call · " in done.err
    assert done.err.rstrip().endswith(f" --url {deployed.url}")
    [listed] = json.loads(call("list", *here, "--json").out)["runs"]
    assert "    └── ✓ fetch()" in call("show", listed["id"][:8], *here).out.replace("│", " ")
    assert call("cancel", listed["id"], *here).err.startswith(f"error: Run {listed['id']} is succeeded already.")
    assert list(tmp_path.iterdir()) == []


def test_a_journal_tells_what_the_documents_tell(call: Callable[..., Done], deployed: Deployment):
    """Frames and actions that are read from it are those that are stored, as far as a journal goes."""
    run = json.loads(call("run", "fetch", "--url", deployed.url, "--json").out)
    stored = LocalRecords(deployed.store, owner="local").details(run["id"])
    read = JournalReading.of(run, stored.journal)
    told = Details(
        frames=tuple(read.frames.values()), actions=tuple(read.actions.values()), gates=(), journal=stored.journal
    )
    untold = {"effect": "", "policy_class": "", "verdict": "", "verdict_note": "", "warnings": []}
    assert [{**frame, **told_frame} for frame, told_frame in zip(stored.frames, told.frames, strict=True)] == [
        *stored.frames
    ]
    assert [_timeless(action) for action in told.actions] == [_timeless(action | untold) for action in stored.actions]


def test_a_journal_tells_that_a_denied_retry_leaves_the_doubt():
    """As the call itself does."""
    shop = Shop()
    shop.after["remove"] = raising(ConnectionResetError("cut"))
    scene = Scene(("remove", {"id": 1}), shop=shop)
    for word in ("retry", "deny"):
        scene.decide(word)
        scene.settle()
    stored = LocalRecords(scene.world.store, owner="ada").details(scene.id)
    read = JournalReading.of({"id": scene.id, "stop_reason": "answered", "error": ""}, stored.journal)
    assert [action["status"] for action in read.actions.values()] == scene.statuses == ["unknown"]


def test_gates_are_decided_and_runs_taken_back_behind_an_api(call: Callable[..., Done], shop: Deployment):
    """With the same words as here: what waits, the decision, what would be put back, the undo."""
    here = ["--url", shop.url]
    assert call("run", "set and ship", *here).code == 3
    approve, deny = (line.split()[-4:] for line in call("gates", *here).out.splitlines()[-2:])
    name = approve[1]
    assert (approve, deny) == (["approve", name, *here], ["deny", name, *here])
    approved = call("approve", *here)
    assert (approved.code, approved.out) == (0, "Done.\n"), approved.err
    assert [line[19:].rstrip() for line in approved.err.splitlines()[:-1]] == [
        "approve     ✓ local: approve",
        "execute 2   ✓ ship  tea is on its way to ada",
    ]
    refused = call("deny", name, *here)
    assert (refused.code, "approved by local at" in refused.err) == (1, True), refused.err
    assert [line.split()[1] for line in call("undo", "--dry-run", *here).out.splitlines() if line[0] != " "] == [
        "permanent",
        "revert",
    ]
    undone = call("undo", "-y", *here)
    assert (undone.code, undone.out.splitlines()[-2:]) == (
        1,
        ['↶ reverted   1.1  put(item="tea", left=5)', '             → put(item="tea", left=3)'],
    )
    assert " partial · 1 permanent, 1 reverted · " in undone.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("message", "then"),
    [
        ("set and ship", ()),
        ("set and ship", (["approve"], ["undo", "-y"])),
        ("ship", (["deny"],)),
        ("order", (["approve", "--by", "ops@example.com"],)),
        ("ask", (["answer", "green"],)),
        ("wire", ()),
        ("wire", (["answer", "give_up"],)),
    ],
)
def test_a_journal_tells_how_gates_and_undos_left_each_call(
    call: Callable[..., Done], message: str, then: tuple[list[str], ...]
):
    """Its status, result and gate are those that are stored."""
    call("run", message, "--network", "stock:network")
    for words in then:
        call(*words)
    stored = json.loads(call("show", "--json").out)
    read = JournalReading.of(stored["run"], stored["journal"])
    facts = ("id", "status", "result", "gate")
    assert [[action[name] for name in facts] for action in read.actions.values()] == [
        [action[name] for name in facts] for action in stored["actions"]
    ]


def test_an_api_that_is_not_there_is_said_in_two_lines(call: Callable[..., Done]):
    """Without a traceback, and without what libraries log of their tries."""
    with stamina.set_testing(True, attempts=2):
        done = call("list", "--url", "http://127.0.0.1:9")
    assert (done.code, done.out, len(done.err.splitlines())) == (1, "", 2)
    assert done.err.startswith("error: GET http://127.0.0.1:9")


def _timeless(action: dict[str, object]) -> dict[str, object]:
    """An action without its times: a journal has those of its commits, which are a little later."""
    return {name: value for name, value in action.items() if name not in ("started", "ended")}
