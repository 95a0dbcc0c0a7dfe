"""The simulated metrics pipeline: what pods use, and how `metrics.k8s.io` and its two sisters tell it.

Usage is a matter of *curves* and *load models*. A *measurement* evaluates them for the pods as they are, by the rhythm
that a scenario chooses, when somebody asks; nothing runs in between. Three *backends* turn measurements into documents,
and the API server passes requests on to them as its aggregation layer. *Tables* and *edits* stand between the two.
"""

from lockstep.metrics.curves import Curve, constant, daily, noisy, peaks, ramp, spike, steps
from lockstep.metrics.edits import drop, put
from lockstep.metrics.handles import MetricsError
from lockstep.metrics.metrics import Metrics
from lockstep.metrics.recorded import recorded
from lockstep.metrics.tables import row
from lockstep.metrics.usage import each, per_ready, shared

__all__ = [
    "Curve",
    "Metrics",
    "MetricsError",
    "constant",
    "daily",
    "drop",
    "each",
    "noisy",
    "peaks",
    "per_ready",
    "put",
    "ramp",
    "recorded",
    "row",
    "shared",
    "spike",
    "steps",
]
