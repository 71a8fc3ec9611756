"""A caller whose proof was accepted."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from msgspec import Struct

from entracte.core.gates.people import person
from entracte.errors import Forbidden


class Identity(Struct, frozen=True):
    """Somebody, by the name that owns what they make.

    Attributes:
        name: An e-mail address in small letters, a user id, or ``key:NAME``.
        operator: May see and do what any owner may.
    """

    name: str
    operator: bool = False


def identity_of(name: str, *, users: Sequence[str], operators: Sequence[str]) -> Identity:
    """Somebody who has proved a name, if this deployment is for them.

    Args:
        users: Names that may come in; ``*`` stands for any text, such as ``*@example.com``.
        operators: Names of operators, in full. They may always come in.

    Raises:
        Forbidden: They may not come in.
    """
    name = person(name)
    if name in {person(operator) for operator in operators}:
        return Identity(name, operator=True)
    if not any(fnmatchcase(name, person(pattern)) for pattern in users):
        raise Forbidden(
            f"{name} is not among the users of this deployment.",
            remedy="Ask whoever runs it to add you to ENTRACTE_USERS.",
            code="not_a_user",
        )
    return Identity(name)
