"""sweep: looks at what is due and has not moved, and stalls what dead letters are about. Fed by a scheduler's topic."""

from entracte.quick_start import quick_start

with quick_start():
    import functions_framework

    from entracte.runtime.doors.sweep_function import sweep_function

    sweep = functions_framework.http(sweep_function())
