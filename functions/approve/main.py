"""approve: announces gates and takes the answers of people. Fed by its push subscription."""

import functions_framework

from entracte.runtime.function import phase_function

approve = functions_framework.http(phase_function("approve"))
