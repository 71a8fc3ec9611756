"""undo: takes a run back, one action a message, newest effect first. Fed by its push subscription."""

import functions_framework

from entracte.runtime.function import phase_function

undo = functions_framework.http(phase_function("undo"))
