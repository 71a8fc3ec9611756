"""evaluate: judges the results of a step and turns what matters into state. Fed by its push subscription."""

from entracte.quick_start import quick_start

with quick_start():
    import functions_framework

    from entracte.runtime.doors.function import phase_function

    evaluate = functions_framework.http(phase_function("evaluate"))
