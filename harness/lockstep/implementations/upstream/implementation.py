"""Upstream as an implementation: the unmodified Go controllers in a bubble whose clock drives the virtual loop."""
# ruff: noqa: D102 - the protocols in lockstep.implementations and in the machinery say what each method means

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lockstep import __version__
from lockstep.apiserver import Request
from lockstep.controllers.names import options_of
from lockstep.implementations.upstream.build import Built, build
from lockstep.implementations.upstream.calls import CallOutcome
from lockstep.implementations.upstream.driver import Answer, BubbleDriver
from lockstep.implementations.upstream.process import UpstreamProcess
from lockstep.implementations.upstream.traffic import ApiRequest
from lockstep.network import Broken
from lockstep.network.calls import HUNG_UP, REFUSED, CallAnswer, Served
from lockstep.time.clock import SECOND
from lockstep.trace.recordings import Provenance

if TYPE_CHECKING:
    from lockstep.apiserver import Reply
    from lockstep.controllers.options import Options
    from lockstep.network import Network
    from lockstep.time.loop import VirtualLoop


class Upstream:
    """One release of upstream, built if necessary, with a process that serves many runs."""

    def __init__(self, spec: str, release: str, progress: Callable[[str], None]) -> None:
        self.spec = spec
        self.built: Built = build(release, progress)
        self._process = UpstreamProcess.of(self.built)

    def attach(self, loop: VirtualLoop, network: Network, options: Options, seed: int) -> UpstreamControllers:
        gates = {**options.feature_gates, **options.vpa.feature_gates}
        driver = BubbleDriver(self._process, _Sink(network), seed=seed, shuffle=seed, feature_gates=gates)
        driver.attach(loop)
        return UpstreamControllers(driver, options)

    def provenance(self, seed: int) -> Provenance:
        """The build, so that a recording says what it is evidence of."""
        return Provenance(
            implementation="upstream",
            release=self.built.kubernetes_version or self.built.release,
            module_digest=" ".join(filter(None, (self.built.module_sum, self.built.vpa_sum))),
            go_version=self.built.go_version,
            harness_version=__version__,
            seed=seed,
            recorded=datetime.now(UTC).date().isoformat(),
        )

    def close(self) -> None:
        """End the process."""
        self._process.close()


class _Sink:
    """Passes the bubble's requests to the network. It is their turn when they arrive here."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def serve(self, request: ApiRequest, answer: Answer) -> None:
        def conclude(result: Reply | Broken) -> None:
            if isinstance(result, Broken):
                answer.broken("reset")
            else:
                answer.reply(result)

        self._network.dispatch(
            Request(
                request.method,
                request.path,
                request.query,
                request.body,
                request.content_type or "application/json",
                request.actor,
                accept=request.accept,
            ),
            conclude,
        )


class UpstreamControllers:
    """Upstream's controllers in one run."""

    def __init__(self, driver: BubbleDriver, options: Options) -> None:
        self._driver = driver
        self._options = options
        self._running: set[str] = set()

    def start(self, controller: str) -> None:
        self._running.add(controller)
        self._driver.start(controller, options_of(controller, self._options))

    def crash(self, controller: str) -> None:
        if controller in self._running:
            self._running.discard(controller)
            self._driver.crash(controller)

    def serve(
        self, controller: str, method: str, path: str, headers: Mapping[str, str], body: bytes, answer: CallAnswer
    ) -> Callable[[], None]:
        def conclude(outcome: CallOutcome) -> None:
            if outcome.reason:
                answer(REFUSED if outcome.reason == "refused" else HUNG_UP)
            else:
                answer(Served(outcome.status, outcome.body))

        return self._driver.call(controller, method, path, headers, body, conclude)

    def end(self) -> None:
        self._driver.end()

    @property
    def errors(self) -> list[str]:
        return [f"{note.at / SECOND:.3f} s: {note.text}" for note in self._driver.notes]

    @property
    def failure(self) -> str | None:
        """A bubble that does not end cleanly only costs a new process and leaves the verdict valid."""
        return None
