"""api: the HTTP API. Called by people and programs; starts runs and answers questions about them."""

from entracte.quick_start import quick_start

with quick_start():
    import functions_framework.aio

    from entracte.api.function import api_function

    api = functions_framework.aio.http(api_function())
