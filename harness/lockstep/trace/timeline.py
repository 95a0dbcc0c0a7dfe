"""Aligns the instants of two traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lockstep.trace.model import Item


def timeline(left: Sequence[Item], right: Sequence[Item], window: float = 0.0) -> Iterator[tuple[str, Item, Item]]:
    """Each instant with the items of either side (`{}`: none), by time.

    Equal instants of the two sides belong together. With a `window`, an instant without an equal is also matched with
    the earliest free instant of the other side that is at most that many seconds away.
    """
    partners = _partners(left, right, window)
    taken = set(partners.values())
    rows = [(float(one["at"]), one["at"], one, _at(right, partners.get(index))) for index, one in enumerate(left)]
    rows += [(float(one["at"]), one["at"], {}, one) for index, one in enumerate(right) if index not in taken]
    for _, at, ours, theirs in sorted(rows, key=lambda row: row[0]):
        yield at, ours, theirs


def _partners(left: Sequence[Item], right: Sequence[Item], window: float) -> dict[int, int]:
    """Position on the left: position on the right."""
    places = {one["at"]: index for index, one in enumerate(right)}
    partners = {index: places[one["at"]] for index, one in enumerate(left) if one["at"] in places}
    if window <= 0:
        return partners
    free = sorted(set(range(len(right))) - set(partners.values()))
    for index, one in enumerate(left):
        if index in partners:
            continue
        near = next(
            (other for other in free if abs(float(right[other]["at"]) - float(one["at"])) <= window + 1e-9), None
        )
        if near is not None:
            partners[index] = near
            free.remove(near)
    return partners


def _at(items: Sequence[Item], index: int | None) -> Item:
    return {} if index is None else items[index]
