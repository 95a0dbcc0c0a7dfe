"""The Lease by which the admission controller shows that it is there (pkg/utils/status).

The updater evicts nobody unless it is fresh: pods that nobody changes on the way back would be evicted again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any, TypeVar

from lockstep.wire.gotime import SECOND, parse_rfc3339
from lockstep_reference.machinery.client import ApiError, Client
from lockstep_reference.machinery.errors import (
    is_already_exists,
    is_conflict,
    is_not_found,
    is_timeout,
    is_too_many_requests,
    reason_for,
)
from lockstep_reference.machinery.ticker import Ticker
from lockstep_reference.machinery.transport import Clock
from lockstep_reference.vpa.apis import Object

ADMISSION_CONTROLLER_STATUS_NAME = "vpa-admission-controller"
ADMISSION_CONTROLLER_STATUS_NAMESPACE = "kube-system"
#: Seconds after which an admission controller that has not renewed its Lease is taken for gone.
ADMISSION_CONTROLLER_STATUS_TIMEOUT = 60.0

_BACKOFF = 0.1  # seconds
_BACKOFF_FACTOR = 3
_BACKOFF_STEPS = 3
#: By what client-go knows the end of a connection (net.IsProbableEOF, IsConnectionReset).
_END_OF_CONNECTION = (
    "EOF",
    "http: can't write HTTP request on broken connection",
    "http2: server sent GOAWAY and closed the connection",
    "connection reset by peer",
    "use of closed network connection",
)

T = TypeVar("T")


class BackoffTimedOutError(Exception):
    """Every try failed with an error that might have passed (wait.ErrWaitTimeout)."""


#: What reading or renewing the Lease may raise.
StatusErrors = (ApiError, ConnectionError, BackoffTimedOutError)


class StatusClient:
    """Reads and renews one Lease (NewClient, NewValidator)."""

    def __init__(
        self,
        client: Client,
        clock: Clock,
        lease_name: str,
        lease_namespace: str,
        *,
        lease_duration: float = 0.0,
        holder_identity: str = "",
    ) -> None:
        """`lease_duration` in seconds; it and the identity are for who renews."""
        self._leases = client.resource("leases", "coordination.k8s.io/v1")
        self._clock = clock
        self._name = lease_name
        self._namespace = lease_namespace
        self._duration = int(lease_duration)
        self._identity = holder_identity

    async def is_status_valid(self, status_timeout: float) -> bool:
        """Whether the Lease was made or renewed less than `status_timeout` seconds ago (IsStatusValid).

        Raises ApiError, ConnectionError and BackoffTimedOutError if it cannot be read.
        """
        lease = await _retry_with_exponential_backoff(lambda: self._leases.get(self._namespace, self._name))
        oldest = self._clock.now() - round(status_timeout * SECOND)
        spec = lease.get("spec") or {}
        return _later(lease["metadata"].get("creationTimestamp"), oldest) or _later(spec.get("renewTime"), oldest)

    async def update_status(self) -> None:
        """Renew the Lease, or make it (UpdateStatus). Raises as `is_status_valid`."""
        await _retry_with_exponential_backoff(self._renew)

    async def _renew(self) -> None:
        """That someone else has renewed or made it at the same time is no error."""
        try:
            lease = await self._leases.get(self._namespace, self._name)
        except ApiError as error:
            if not is_not_found(error):
                raise
            await self._create()
            return
        spec = {**(lease.get("spec") or {}), "renewTime": _micro_time(self._clock.now())}
        spec["holderIdentity"] = self._identity
        try:
            await self._leases.update(self._namespace, {**lease, "spec": spec})
        except ApiError as error:
            if not is_conflict(error):
                raise

    async def _create(self) -> None:
        lease: dict[str, Any] = {
            "kind": "Lease",
            "apiVersion": "coordination.k8s.io/v1",
            "metadata": {"name": self._name, "namespace": self._namespace},
            "spec": {"holderIdentity": self._identity, "leaseDurationSeconds": self._duration},
        }
        try:
            await self._leases.create(self._namespace, lease)
        except ApiError as error:
            if not is_already_exists(error):
                raise


class StatusUpdater:
    """Renews the Lease every `interval` seconds, the first time after one interval (NewUpdater)."""

    def __init__(self, client: StatusClient, interval: float, clock: Clock, on_error: Callable[[str], None]) -> None:
        self._client = client
        self._clock = clock
        self._interval = interval
        self._on_error = on_error

    async def run(self) -> None:
        """For ever (Updater.Run). A renewal that takes longer than the interval is given up."""
        ticker = Ticker(self._interval, self._clock)
        while True:
            await ticker.tick()
            try:
                async with asyncio.timeout(self._interval):
                    await self._client.update_status()
            except Exception as error:
                self._on_error(f"Status update failed: {error}")


def _later(text: str | None, instant: int) -> bool:
    return text is not None and parse_rfc3339(text) > instant


def _micro_time(instant: int) -> str:
    """The instant as metav1.MicroTime writes it."""
    moment = datetime(2000, 1, 1, tzinfo=UTC) + timedelta(microseconds=instant // 1000)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


async def _retry_with_exponential_backoff(call: Callable[[], Awaitable[T]]) -> T:
    """Up to three tries, 100 and 300 ms apart, as long as the error may pass (retryWithExponentialBackOff)."""
    delay = _BACKOFF
    for tries in range(1, _BACKOFF_STEPS + 1):
        try:
            return await call()
        except (ApiError, ConnectionError) as error:
            if not _retryable(error):
                raise
        if tries < _BACKOFF_STEPS:
            await asyncio.sleep(delay)
            delay *= _BACKOFF_FACTOR
    raise BackoffTimedOutError("timed out waiting for the condition")


def _retryable(error: ApiError | ConnectionError) -> bool:
    """The server's trouble, or a connection that ended (isRetryableAPIError, isRetryableNetError)."""
    if isinstance(error, ApiError):
        return (
            reason_for(error) in ("InternalError", "ServerTimeout")
            or error.status == HTTPStatus.INTERNAL_SERVER_ERROR
            or is_timeout(error)
            or is_too_many_requests(error)
            or _suggests_client_delay(error)
        )
    return str(error).endswith(_END_OF_CONNECTION)


def _suggests_client_delay(error: ApiError) -> bool:
    """Whether the Status says when to try again (SuggestsClientDelay)."""
    details: Object = error.details
    return bool(details.get("retryAfterSeconds")) or reason_for(error) == "ServerTimeout"
