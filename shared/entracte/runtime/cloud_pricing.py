"""Reading the table of Google Cloud's prices that comes with Entracte, or the deployer's own in its place."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from msgspec import ValidationError, convert

from entracte.core.cloud_costs import CloudPrices
from entracte.errors import ConfigurationError

KNOWN = "cloud_prices.json"


def read_cloud_prices(own: Path | None = None) -> CloudPrices:
    """The prices.

    Args:
        own: A file of the same shape, for another region or another day.

    Raises:
        ConfigurationError: It cannot be read, or lacks a price; names it.
    """
    name = str(own) if own is not None else KNOWN
    try:
        text = own.read_text("utf-8") if own is not None else (resources.files(__package__) / KNOWN).read_text("utf-8")
        table = json.loads(text)
        return convert({"as_of": table["as_of"], "region": table["region"], **table["usd"]}, CloudPrices)
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
        raise ConfigurationError(
            f"The prices {name!r} cannot be read: {error}",
            remedy=f"They have the shape of shared/entracte/runtime/{KNOWN}.",
        ) from None
