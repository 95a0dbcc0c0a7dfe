"""Changes to answers: they turn one pod's entry, or the whole document, into what no load model would give."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from lockstep.metrics.handles import Handle, MetricsError
from lockstep.metrics.views import Selection

#: Gets a JSON value, which it may change, and returns the replacement; None leaves an entry out.
Edit = Callable[[Any], Any]


def put(*path: str | int, to: Any) -> Edit:
    """Write `to`, any JSON value, at a path: names of fields and positions in lists."""

    def edit(document: Any) -> Any:
        if path:
            _parent(document, path)[path[-1]] = to
            return document
        return to

    return edit


def drop(*path: str | int) -> Edit:
    """Remove the value at a path, if there is one."""
    if not path:
        raise MetricsError("drop() needs a path; to leave out a pod's whole entry, use lose()")

    def edit(document: Any) -> Any:
        parent, last = _parent(document, path), path[-1]
        if last in parent if isinstance(parent, dict) else last < len(parent):  # type: ignore[operator]
            del parent[last]
        return document

    return edit


def _parent(document: Any, path: tuple[str | int, ...]) -> Any:
    """The object or list that contains the value at a path. Raises MetricsError if there is none."""
    found = document
    try:
        for step in path[:-1]:
            found = found[step]
        _ = range(len(found))[path[-1]] if isinstance(found, list) else found.keys()  # type: ignore[index]
    except (KeyError, IndexError, TypeError, AttributeError):
        where = ".".join(map(str, path))
        raise MetricsError(f"the answer has nothing at {where}: look at docs/metrics.md for its shape") from None
    return found


class PodEdit(Handle):
    """A change to the entry of one pod, or of all pods, of a selection. `metric` is "" for CPU and memory."""

    __slots__ = ("_edit", "_frozen", "metric", "selection", "which")

    def __init__(
        self,
        now: Callable[[], int],
        until: int | None,
        selection: Selection,
        which: int | None,
        metric: str,
        edit: Edit | None,
        frozen: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(now, until)
        self.selection = selection
        self.which = which
        self.metric = metric
        self._edit = edit
        self._frozen = frozen

    def apply(self, uid: str, entry: Any) -> Any:
        """The changed entry of a pod; None if it is left out."""
        if self._frozen is not None:
            return self._frozen.get(uid)
        return None if self._edit is None else self._edit(copy.deepcopy(entry))


class AnswerEdit(Handle):
    """A change to whole answers of an API group."""

    __slots__ = ("edit", "group")

    def __init__(self, now: Callable[[], int], until: int | None, group: str, edit: Edit) -> None:
        super().__init__(now, until)
        self.group = group
        self.edit = edit


def without_container(name: str) -> Edit:
    """Remove the container of that name from a pod's entry."""

    def edit(entry: Any) -> Any:
        entry["containers"] = [one for one in entry["containers"] if one["name"] != name]
        return entry

    return edit
