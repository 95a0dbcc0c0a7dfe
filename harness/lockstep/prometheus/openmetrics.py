"""Series as OpenMetrics text, from which `promtool tsdb create-blocks-from openmetrics` makes data for a real
Prometheus.
"""

from __future__ import annotations

from collections.abc import Iterable

from lockstep.prometheus.answers import float_text
from lockstep.prometheus.series import NAME, Series


def to_openmetrics(series: Iterable[Series]) -> str:
    """The text. Metrics are written without a type, because a type would restrict their names."""
    lines = []
    for one in sorted(series, key=lambda each: each.labels[NAME]):
        labels = ",".join(f'{label}="{_escaped(value)}"' for label, value in one.labels.items() if label != NAME)
        head = f"{one.labels[NAME]}{{{labels}}}" if labels else one.labels[NAME]
        lines += [
            f"{head} {float_text(value)} {time // 1000}.{time % 1000:03}"
            for time, value in zip(one.times, one.values, strict=True)
        ]
    return "\n".join([*lines, "# EOF", ""])


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
