"""``entracte dev`` (commands/dev.py)."""

from collections.abc import Callable

from tests.cli.conftest import Done


def test_its_options_are_those_of_the_stack(call: Callable[..., Done]):
    """They are passed on as they are, --help among them."""
    done = call("dev", "--help")
    assert (done.code, "--only-emulators" in done.out, done.err) == (0, True, "")
    assert call("dev", "--api-port", "many").err.endswith("argument --api-port: invalid int value: 'many'\n")
