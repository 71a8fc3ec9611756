"""memorize: after an answer, decides what is to be remembered, and writes it down. Fed by its push subscription."""

from entracte.quick_start import quick_start

with quick_start():
    import functions_framework

    from entracte.runtime.doors.function import phase_function

    memorize = functions_framework.http(phase_function("memorize"))
