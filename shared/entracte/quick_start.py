"""The start of a function: without looking for garbage, and with one line where something is set wrongly.

Imports drop little, and an eighth of a start went into the search.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from entracte.errors import ConfigurationError

BOOT_FAILED = 3
"""Exit code by which gunicorn knows that starting a worker again would be no use."""


@contextmanager
def quick_start() -> Iterator[None]:
    """Imports in this block are collected never, and looked at by no later collection.

    A ConfigurationError ends the process: whoever mends a setting has no use for a traceback.
    """
    gc.disable()
    try:
        yield
    except ConfigurationError as error:
        logging.getLogger("entracte").error("start_refused %s", error)
        raise SystemExit(BOOT_FAILED) from None
    finally:
        gc.freeze()
        gc.enable()
