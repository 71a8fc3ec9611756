"""What tools of the toolbox say when they did nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from entracte.errors import EntracteError, StaleWrite, StoreUnavailable, TerminalError, ToolError


@contextmanager
def nothing_done() -> Iterator[None]:
    """Tell the agent of an error after which it is certain that nothing was written. Others pass: nobody knows."""
    try:
        yield
    except ToolError:
        raise
    except (TerminalError, StaleWrite, StoreUnavailable) as error:
        raise told(error) from None
    except EntracteError as error:
        if error.code == "contended":
            raise told(error) from None
        raise


def told(error: EntracteError) -> ToolError:
    """The error as the tool's own word."""
    return ToolError(error.message, remedy=error.remedy, code=error.code)
