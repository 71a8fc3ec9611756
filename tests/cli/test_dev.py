"""``entracte dev`` (commands/dev.py)."""

from collections.abc import Callable
from pathlib import Path

from entracte.cli.commands.dev import infra_folder
from tests.cli.conftest import Done


def test_its_options_are_those_of_the_stack(call: Callable[..., Done]):
    """They are passed on as they are, --help among them."""
    done = call("dev", "--help")
    assert (done.code, "--only-emulators" in done.out, done.err) == (0, True, "")
    assert call("dev", "--api-port", "many").err.endswith("argument --api-port: invalid int value: 'many'\n")


def test_a_checkout_is_found_from_within_it_or_from_the_code(tmp_path: Path):
    """The one around the current folder comes first; a folder called infra alone is none."""
    here, code, elsewhere = (tmp_path / name for name in ("here", "code", "elsewhere"))
    for checkout in (here, code):
        (checkout / "shared" / "entracte").mkdir(parents=True)
        (checkout / "infra").mkdir()
        (checkout / "infra" / "stack.py").touch()
    (elsewhere / "infra").mkdir(parents=True)
    (elsewhere / "infra" / "stack.py").touch()
    assert infra_folder(here / "shared", code) == here / "infra"
    assert infra_folder(elsewhere, code) == code / "infra"
    assert infra_folder(elsewhere, elsewhere) is None
