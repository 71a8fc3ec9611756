"""plan: understands a request, then chooses the next calls or gives the final answer. Fed by its push subscription."""

from entracte.quick_start import quick_start

with quick_start():
    import functions_framework

    from entracte.runtime.doors.function import phase_function

    plan = functions_framework.http(phase_function("plan"))
