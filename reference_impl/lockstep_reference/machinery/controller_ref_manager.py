"""Controller references: claiming the pods that match, letting go of those that do not.

A pod belongs to the controller that its owner reference with `controller: true` names. A controller adopts matching
orphans and releases its own pods that no longer match, both by a patch that names the pod's uid, so that it can never
hit a new pod of the same name.

Source: pkg/controller/controller_ref_manager.go, BaseControllerRefManager and PodControllerRefManager.
"""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from lockstep.wire.gotime import parse_rfc3339, rfc3339
from lockstep.wire.selectors import LabelSet
from lockstep_reference.machinery.client import ApiError, is_invalid, is_not_found


class Controllee(Protocol):
    """What the manager needs to know of a pod."""

    namespace: str
    name: str
    uid: str
    label_set: LabelSet
    owner_uid: str | None  # of its controller reference
    deleting: bool  # has a deletionTimestamp


class PodPatcher(Protocol):
    """The part of pod control that the manager needs."""

    async def patch_pod(self, namespace: str, name: str, patch: dict[str, Any]) -> None:
        """Apply a strategic merge patch. Raises ApiError or ConnectionError."""


P = TypeVar("P", bound=Controllee)


class Claim(enum.Enum):
    """What becomes of one pod."""

    OWNED = "ours, and it matches: nothing to do"
    IGNORED = "not ours, and not to become ours"
    ADOPT = "a matching orphan"
    RELEASE = "ours, but it no longer matches"


# Looking a member up in its class costs more than the whole decision, and there is one for each pod in each sync.
_OWNED, _IGNORED, _ADOPT, _RELEASE = Claim


class AdoptionError(Exception):
    """A pod must not be adopted; the text is upstream's."""


class Aggregate(Exception):
    """Several errors as one (apimachinery pkg/util/errors): equal texts are shown once."""

    def __init__(self, errors: Sequence[Exception]) -> None:
        self.errors = list(errors)
        messages = list(dict.fromkeys(str(error) for error in errors))
        super().__init__(messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]")


class PodControllerRefManager(Generic[P]):
    """Claims pods for one controller object during one sync.

    `can_adopt` is asked at most once, before the first adoption, and raises if nothing may be adopted; its answer then
    holds for this manager's life.
    """

    def __init__(
        self,
        pod_control: PodPatcher,
        controller: dict[str, Any],
        matches: Mapping[LabelSet, bool],
        controller_kind: tuple[str, str],
        can_adopt: Callable[[], Awaitable[None]],
    ) -> None:
        metadata = controller["metadata"]
        self._pod_control = pod_control
        self._matches = matches
        self._api_version, self._kind = controller_kind
        self._namespace: str = metadata.get("namespace", "")
        self._name: str = metadata["name"]
        self._uid: str = metadata["uid"]
        self._deleting = metadata.get("deletionTimestamp") is not None
        self._can_adopt_func = can_adopt
        self._asked = False
        self._can_adopt_error: Exception | None = None

    async def claim_pods(self, pods: Iterable[P]) -> list[P]:
        """The pods that the controller owns, after adopting and releasing what it must.

        Raises Aggregate if any adoption or release failed, after having tried all. A pod that is gone is no failure.
        """
        claimed: list[P] = []
        errors: list[Exception] = []
        uid, matches = self._uid, self._matches
        for pod in pods:
            if pod.owner_uid == uid and matches[pod.label_set]:  # nearly every pod of nearly every sync
                claimed.append(pod)
                continue
            claim = self.claim_object(pod)
            if claim is not _IGNORED:
                try:
                    if await self._reconcile(claim, pod):
                        claimed.append(pod)
                except (ApiError, ConnectionError, AdoptionError) as error:
                    errors.append(error)
        if errors:
            raise Aggregate(errors)
        return claimed

    def claim_object(self, pod: P) -> Claim:
        """What must happen to the pod. A controller that is being deleted keeps what it has and changes nothing."""
        if pod.owner_uid is not None:
            if pod.owner_uid != self._uid:
                return _IGNORED
            if self._matches[pod.label_set]:
                return _OWNED
            return _IGNORED if self._deleting else _RELEASE
        if self._deleting or not self._matches[pod.label_set] or pod.deleting:
            return _IGNORED
        if self._namespace and self._namespace != pod.namespace:
            return _IGNORED
        return _ADOPT

    async def _reconcile(self, claim: Claim, pod: P) -> bool:
        """Adopt or release; whether the pod is now ours."""
        try:
            if claim is _RELEASE:
                await self.release_pod(pod)
                return False
            await self.adopt_pod(pod)
        except ApiError as error:
            if not is_not_found(error):
                raise
            return False
        return True

    async def can_adopt(self) -> None:
        """Raise what `can_adopt` raised; it is called on the first use only."""
        if not self._asked:
            self._asked = True
            try:
                await self._can_adopt_func()
            except AdoptionError as error:
                self._can_adopt_error = error
        if self._can_adopt_error is not None:
            raise self._can_adopt_error

    async def adopt_pod(self, pod: P) -> None:
        """Make the controller the pod's owner. Raises AdoptionError if it must not, ApiError if the server refuses."""
        try:
            await self.can_adopt()
        except AdoptionError as error:
            raise AdoptionError(f"can't adopt Pod {pod.namespace}/{pod.name} ({pod.uid}): {error}") from error
        reference = {
            "apiVersion": self._api_version,
            "kind": self._kind,
            "name": self._name,
            "uid": self._uid,
            "controller": True,
            "blockOwnerDeletion": True,
        }
        patch = {"metadata": {"ownerReferences": [reference], "uid": pod.uid}}
        await self._pod_control.patch_pod(pod.namespace, pod.name, patch)

    async def release_pod(self, pod: P) -> None:
        """Take the controller off the pod's owners. Gone (404) or another pod of the name (422): nothing to release."""
        reference = {"$patch": "delete", "uid": self._uid}
        patch = {"metadata": {"uid": pod.uid, "ownerReferences": [reference]}}
        try:
            await self._pod_control.patch_pod(pod.namespace, pod.name, patch)
        except ApiError as error:
            if not is_not_found(error) and not is_invalid(error):
                raise


def recheck_deletion_timestamp(get_object: Callable[[], Awaitable[dict[str, Any]]]) -> Callable[[], Awaitable[None]]:
    """A `can_adopt` that reads the controller afresh and refuses once it is being deleted.

    `get_object` must not read a cache: an adoption by a controller that is already gone would never be undone.
    """

    async def can_adopt() -> None:
        try:
            metadata = (await get_object())["metadata"]
        except (ApiError, ConnectionError, AdoptionError) as error:
            raise AdoptionError(f"can't recheck DeletionTimestamp: {error}") from error
        if metadata.get("deletionTimestamp") is not None:
            deleted = _go_time(metadata["deletionTimestamp"])
            raise AdoptionError(f"{metadata['namespace']}/{metadata['name']} has just been deleted at {deleted}")

    return can_adopt


def _go_time(text: str) -> str:
    """A timestamp as Go's time.Time prints itself, in UTC."""
    date, _, time = rfc3339(parse_rfc3339(text)).partition("T")
    return f"{date} {time.removesuffix('Z')} +0000 UTC"
