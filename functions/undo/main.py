"""undo: takes a run back, one action a message, newest effect first. Fed by its push subscription."""

from entracte.quick_start import quick_start

with quick_start():
    import functions_framework

    from entracte.runtime.doors.function import phase_function

    undo = functions_framework.http(phase_function("undo"))
