"""``entracte new``: a network of one's own in this checkout."""

from __future__ import annotations

from typing import Annotated

import typer

from entracte.cli.invocation import invocation


def new(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Of its package: lower-case letters, digits and _.")],
) -> None:
    """Make a network in this checkout. That is shared/NAME, tests/NAME and terraform/environments/NAME.

    It runs as it is, on a scripted model, and passes the check and its tests. Nothing that exists is changed.
    """
    from entracte.cli.scaffold.checkout import checkout
    from entracte.cli.scaffold.making import make_network

    called = invocation(context)
    root = checkout("entracte new")
    made = make_network(root, name)
    if called.options.as_json:
        called.screen.json({"name": name, "root": str(root), "files": [str(file) for file in made]})
        return
    called.screen.print(*(str(file) for file in made))
    called.screen.note(f'Try it:   {called.command("run")} --network {name}:network "How much tea is left?"')
    called.screen.note(f"Test it:  python3 infra/dev.py test tests/{name}")
    called.screen.note(f"Pack it:  {called.command('package')} {name}   and then terraform/README.md")
