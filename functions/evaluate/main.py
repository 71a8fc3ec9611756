"""evaluate: judges the results of a step and turns what matters into state. Fed by its push subscription."""

import functions_framework

from entracte.runtime.function import phase_function

evaluate = functions_framework.http(phase_function("evaluate"))
