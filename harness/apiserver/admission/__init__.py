"""Admission: what may change or refuse an object between validation and the store."""

from __future__ import annotations

from harness.apiserver.admission import definitions, limit_ranges, namespaces, quota
from harness.apiserver.state import State


def install(state: State) -> None:
    """Put the built-in admission plugins in upstream's order; webhooks may be appended to the same lists."""
    state.mutating_admission += [namespaces.admit, limit_ranges.mutate]
    state.validating_admission += [limit_ranges.validate, quota.admit]
    state.after_write += [quota.after_write, definitions.after_write]
