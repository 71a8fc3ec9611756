"""Log lines of a network that masks: what it masks is taken out of them, stack traces included."""

from __future__ import annotations

import logging
from collections.abc import Callable

Scrub = Callable[[str], str]


class ScrubbedLines(logging.Filter):
    """Passes every record, without what is masked. What is taken out of it is not kept anywhere."""

    def __init__(self, scrub: Scrub) -> None:
        super().__init__()
        self._scrub = scrub

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._scrub(record.getMessage()), ()
        if record.exc_info:
            trace = logging.Formatter().formatException(record.exc_info)
            record.exc_text, record.exc_info = self._scrub(trace), None  # the error itself holds what was raised
        return True


def mask_log(scrub: Scrub) -> None:
    """Scrub the log of Entracte, in place of an earlier network's scrubbing."""
    logger = logging.getLogger("entracte")
    for old in [kept for kept in logger.filters if isinstance(kept, ScrubbedLines)]:
        logger.removeFilter(old)
    logger.addFilter(ScrubbedLines(scrub))
