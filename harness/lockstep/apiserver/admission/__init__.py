"""Admission: plugins that may change or refuse an object before it is stored."""

from __future__ import annotations

from lockstep.apiserver.admission import definitions, limit_ranges, namespaces, quota
from lockstep.apiserver.state import State
from lockstep.apiserver.webhooks import mutating


def install(state: State) -> None:
    """Put the built-in admission plugins and webhooks in upstream's order."""
    state.mutating_admission += [namespaces.admit, limit_ranges.mutate, mutating.admit]
    state.validating_admission += [limit_ranges.validate, quota.admit]
    state.after_write += [quota.after_write, definitions.after_write, mutating.after_write]
