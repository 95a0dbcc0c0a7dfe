"""Amounts: how they are truncated, rounded and printed."""

from __future__ import annotations

from typing import Any

from lockstep_reference.vpa.apis import CPU, MEMORY, resource_list_to_wire
from lockstep_reference.vpa.recommender.model.types import (
    cpu_amount_from_cores,
    humanize_memory_quantity,
    memory_amount_from_bytes,
    resources_as_resource_list,
    round_up_to_scale,
    scale_resource,
)


def answer(question: Any) -> Any:
    """All of upstream's conversions of the number and the amount."""
    amount, scale = question["amount"], question["scale"]
    options = question["humanize"], question["roundCPU"], question["roundMemory"]
    return [
        cpu_amount_from_cores(question["number"]),
        memory_amount_from_bytes(question["number"]),
        scale_resource(amount, question["factor"]),
        humanize_memory_quantity(amount),
        round_up_to_scale(amount, scale),
        "scale must be greater than zero" if scale <= 0 else "",
        resource_list_to_wire(resources_as_resource_list({CPU: amount, MEMORY: amount}, *options)),
    ]
