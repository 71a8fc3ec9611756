"""gate_edit: hears of edits in the Firestore console and passes decisions on. Fed by its Firestore trigger."""

from entracte.quick_start import quick_start

with quick_start():
    import functions_framework

    from entracte.runtime.doors.gate_edit import gate_edit_function

    gate_edit = functions_framework.cloud_event(gate_edit_function())
