"""plan: understands a request, then chooses the next calls or gives the final answer. Fed by its push subscription."""

import functions_framework

from entracte.runtime.function import phase_function

plan = functions_framework.http(phase_function("plan"))
