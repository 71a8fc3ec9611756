"""gate_edit: hears of edits in the Firestore console and passes decisions on. Fed by its Firestore trigger."""

import functions_framework

from entracte.runtime.gate_edit import gate_edit_function

gate_edit = functions_framework.cloud_event(gate_edit_function())
