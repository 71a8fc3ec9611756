"""execute: makes one call of a tool or sub-agent and records its end. Fed by its push subscription."""

from entracte.quick_start import quick_start

with quick_start():
    import functions_framework

    from entracte.runtime.doors.function import phase_function

    execute = functions_framework.http(phase_function("execute"))
