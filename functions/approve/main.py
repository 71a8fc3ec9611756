"""approve: announces gates and takes the answers of people. Fed by its push subscription."""

from entracte.quick_start import quick_start

with quick_start():
    import functions_framework

    from entracte.runtime.doors.function import phase_function

    approve = functions_framework.http(phase_function("approve"))
