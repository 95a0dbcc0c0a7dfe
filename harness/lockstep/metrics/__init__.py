"""The simulated metrics pipeline: what pods use, and how `metrics.k8s.io`, the custom and the external metrics API
report it.

*Curves* and *load models* describe usage. A *measurement* evaluates them for the present pods, in the rhythm that a
scenario chooses. It is computed when a request needs it; nothing runs in between. Three *backends* turn measurements
into documents. The API server forwards requests to them, as its aggregation layer does. *Tables* replace measured
values, and *edits* change the documents.
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
