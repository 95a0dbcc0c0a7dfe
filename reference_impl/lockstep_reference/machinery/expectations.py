"""Expectations: what a controller must observe in its cache before it may act again.

A controller's cache may not show its own last writes yet. Acting twice on the same stale cache would create or delete
twice. So after each round of creates or deletes the controller records how many it *expects* to observe. It manages
replicas again only when the counts are back to zero or the record is five minutes old.

Source: pkg/controller/controller_utils.go, ControllerExpectations and UIDTrackingControllerExpectations.
"""

from __future__ import annotations

from collections.abc import Iterable

from lockstep_reference.machinery.transport import Clock

#: Age after which unfulfilled expectations expire, in nanoseconds (ExpectationsTimeout).
EXPECTATIONS_TIMEOUT = 5 * 60 * 10**9


class ControlleeExpectations:
    """What one controller object expects: outstanding creates and deletes, and since when (nanoseconds)."""

    __slots__ = ("add", "delete", "key", "timestamp")

    def __init__(self, key: str, add: int, delete: int, timestamp: int) -> None:
        self.key = key
        self.add = add
        self.delete = delete
        self.timestamp = timestamp

    def fulfilled(self) -> bool:
        """Whether nothing is outstanding. Counts below zero (unexpected observations) count as fulfilled."""
        return self.add <= 0 and self.delete <= 0

    def is_expired(self, now: int) -> bool:
        """Whether the expectations are older than EXPECTATIONS_TIMEOUT at the instant `now`."""
        return now - self.timestamp > EXPECTATIONS_TIMEOUT

    def __repr__(self) -> str:
        return f"ControlleeExpectations({self.key!r}, add={self.add}, delete={self.delete}, since={self.timestamp})"


class ControllerExpectations:
    """Expectations per controller key ("namespace/name"): counters only, without regard to which object is observed."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._store: dict[str, ControlleeExpectations] = {}

    def get_expectations(self, controller_key: str) -> ControlleeExpectations | None:
        """The controller's current expectations; None if it never set any, or they were deleted."""
        return self._store.get(controller_key)

    def delete_expectations(self, controller_key: str) -> None:
        """Forget the controller, so that a new one of the same name starts clean."""
        self._store.pop(controller_key, None)

    def satisfied_expectations(self, controller_key: str) -> bool:
        """Whether the controller may manage its replicas: nothing expected, all observed, or expired."""
        expectations = self._store.get(controller_key)
        if expectations is None:
            return True
        return expectations.fulfilled() or expectations.is_expired(self._clock.now())

    def set_expectations(self, controller_key: str, add: int, delete: int) -> None:
        """Replace the controller's expectations; the five minutes start now."""
        self._store[controller_key] = ControlleeExpectations(controller_key, add, delete, self._clock.now())

    def expect_creations(self, controller_key: str, adds: int) -> None:
        """Expect `adds` creates and no deletes."""
        self.set_expectations(controller_key, adds, 0)

    def expect_deletion_count(self, controller_key: str, deletes: int) -> None:
        """Expect `deletes` deletes and no creates (upstream: ControllerExpectations.ExpectDeletions)."""
        self.set_expectations(controller_key, 0, deletes)

    def lower_expectations(self, controller_key: str, add: int, delete: int) -> None:
        """Subtract observed creates and deletes from the counts; unknown controllers are ignored."""
        expectations = self._store.get(controller_key)
        if expectations is not None:
            expectations.add -= add
            expectations.delete -= delete

    def raise_expectations(self, controller_key: str, add: int, delete: int) -> None:
        """Add to the counts without restarting the five minutes; unknown controllers are ignored."""
        self.lower_expectations(controller_key, -add, -delete)

    def creation_observed(self, controller_key: str) -> None:
        """One create was observed, or will never be observed."""
        self.lower_expectations(controller_key, 1, 0)


class UIDTrackingControllerExpectations(ControllerExpectations):
    """Expectations that know which objects are to be deleted.

    A graceful deletion shows up twice: as an update that sets deletionTimestamp and as the final removal. Remembering
    the expected keys makes sure that each deletion is counted once. Despite the name, upstream tracks "namespace/name"
    keys, not UIDs.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self._uids: dict[str, set[str]] = {}

    def get_uids(self, controller_key: str) -> frozenset[str]:
        """The keys whose deletion is still to be observed."""
        return frozenset(self._uids.get(controller_key, ()))

    def expect_deletions(self, controller_key: str, deleted_keys: Iterable[str]) -> None:
        """Expect the deletion of exactly these objects, replacing what was expected before."""
        expected = set(deleted_keys)
        self._uids[controller_key] = expected
        self.expect_deletion_count(controller_key, len(expected))

    def deletion_observed(self, controller_key: str, delete_key: str) -> None:
        """The deletion of `delete_key` has begun or ended; counted only if expected, and only once."""
        expected = self._uids.get(controller_key)
        if expected is not None and delete_key in expected:
            expected.remove(delete_key)
            self.lower_expectations(controller_key, 0, 1)

    def delete_expectations(self, controller_key: str) -> None:
        """Forget the controller's counts and keys."""
        super().delete_expectations(controller_key)
        self._uids.pop(controller_key, None)
