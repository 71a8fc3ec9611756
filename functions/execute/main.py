"""execute: makes one call of a tool or sub-agent and records its end. Fed by its push subscription."""

import functions_framework

from entracte.runtime.function import phase_function

execute = functions_framework.http(phase_function("execute"))
