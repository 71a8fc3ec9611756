"""api: the HTTP API. Called by people and programs; starts runs and answers questions about them."""

import gc

gc.disable()  # Imports allocate much and drop little: an eighth of the start went into looking for garbage.

import functions_framework.aio  # noqa: E402 - after gc.disable()

from entracte.api.function import api_function  # noqa: E402 - after gc.disable()

api = functions_framework.aio.http(api_function())

gc.freeze()
gc.enable()
