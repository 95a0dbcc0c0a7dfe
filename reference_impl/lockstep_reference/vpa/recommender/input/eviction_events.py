"""Watching for pods that the kubelet evicted (pkg/recommender/input/cluster_feeder.go)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

from lockstep_reference.machinery.client import ApiError, ResourceClient
from lockstep_reference.machinery.transport import WatchStream
from lockstep_reference.vpa.recommender.input.oom import Observer

_RETRY_WAIT = 10.0  # seconds
_JITTER_FACTOR = 0.5
_QUERY = {"fieldSelector": "reason=Evicted"}


async def watch_eviction_events_with_retries(
    events: ResourceClient, namespace: str, observer: Observer, rng: random.Random, on_error: Callable[[str], None]
) -> None:
    """Pass every event with reason Evicted to the observer, for ever (WatchEvictionEventsWithRetries).

    Whenever the watch ends a new one is opened, after 10 to 15 seconds. It names no resourceVersion, so the server
    starts with all stored events, and those are passed on again. `namespace` "" means all.
    """
    while True:
        try:
            stream = await events.watch(_QUERY, namespace)
        except (ApiError, OSError) as error:
            on_error(f"Cannot initialize watching events: {error}")
        else:
            await _watch_eviction_events(stream, observer)
        await asyncio.sleep(_RETRY_WAIT + rng.random() * _JITTER_FACTOR * _RETRY_WAIT)


async def _watch_eviction_events(stream: WatchStream, observer: Observer) -> None:
    """Watch until the server ends it, or the connection breaks (watchEvictionEvents)."""
    try:
        while (event := await stream.next()) is not None:
            kind, obj = event
            if kind == "ADDED":
                observer.on_event(obj)
    except ConnectionError:
        return
    finally:
        stream.close()
