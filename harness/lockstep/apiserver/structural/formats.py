"""String formats (kube-openapi/pkg/validation/strfmt/time.go)."""

from __future__ import annotations

import re
from datetime import date

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))")


def is_date_time(text: str) -> bool:
    """IsDateTime."""
    day, _, rest = text.lower().partition("t")
    found = _TIME.fullmatch(rest.partition("t")[0])
    if found is None or not _DATE.fullmatch(day):
        return False
    try:
        date.fromisoformat(day)
    except ValueError:
        if not day.startswith("0000-"):  # Go accepts the year 0
            return False
    return found[1] <= "23" and found[2] <= "59" and found[3] <= "59"
