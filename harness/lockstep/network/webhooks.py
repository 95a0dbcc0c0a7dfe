"""Calls of the API server to admission webhooks: the server of each Service, and the faults of a call.

A call is a request like any other and meets the faults of the scenario: `verb="call", resource="webhooks"`, with the
Service's namespace and name. A webhook's answer is recorded in the history as a write with the verb `review`.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import orjson

from lockstep.apiserver.webhooks.reviews import Outcome, Review
from lockstep.network.calls import CallAnswer, Served
from lockstep.network.faults import Fault
from lockstep.network.network import Broken, Network
from lockstep.network.target import Target
from lockstep.trace.history import Write
from lockstep.trace.invariants.base import PROMPT_ANSWERS

#: Errors with the messages of the API server's HTTP client.
CUT_OFF = "EOF"
TOO_LATE = "context deadline exceeded"
_ADDRESS = "dial tcp 10.96.0.10:443: "
_JSON = {"Content-Type": "application/json"}

#: (path, headers, body, answer): calls the webhook. Returns a function that cancels the call.
Callee = Callable[[str, Mapping[str, str], bytes, CallAnswer], Callable[[], None]]
#: A webhook of the scenario's own: an AdmissionReview in, an AdmissionReview out.
ScenarioWebhook = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Endpoint:
    actor: str
    callee: Callee


class Webhooks:
    """The webhooks that the API server of one run can reach."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._endpoints: dict[tuple[str, str], _Endpoint] = {}
        network.server.ask_webhook = self.ask

    def serve(self, namespace: str, name: str, callee: Callee, actor: str = "scenario") -> None:
        """From now on `callee` answers requests to the Service `namespace/name`."""
        self._endpoints[namespace, name] = _Endpoint(actor, callee)

    def answer_with(self, namespace: str, name: str, webhook: ScenarioWebhook) -> None:
        """From now on a function of the scenario answers requests to the Service."""

        def callee(_: str, __: Mapping[str, str], body: bytes, answer: CallAnswer) -> Callable[[], None]:
            answer(Served(200, orjson.dumps(webhook(orjson.loads(body)))))
            return _nothing

        self.serve(namespace, name, callee)

    def post(
        self, namespace: str, name: str, body: bytes, content_type: str, answer: Callable[[int, bytes], None]
    ) -> None:
        """Send a body to the webhook of a Service. `answer` gets status and body, or 0 and why there is no answer."""

        def returned(result: Served | Broken) -> None:
            if isinstance(result, Broken):
                answer(0, result.reason.encode())
            else:
                answer(result.status, result.body)

        endpoint = self._endpoints.get((namespace, name))
        if endpoint is None:
            answer(0, f'service "{name}" not found'.encode())
        else:
            endpoint.callee("/", {"Content-Type": content_type}, body, returned)

    def ask(self, review: Review, answer: Callable[[Outcome], None]) -> None:
        """Send a review to the webhook. `answer` gets the outcome, at the latest when the timeout has passed."""
        endpoint = self._endpoints.get(review.service)
        if endpoint is None:
            answer(Outcome(broken=f'service "{review.service[1]}" not found'))
            return
        _Call(self._network, endpoint, review, answer).start()


class _Call:
    """One call in flight."""

    def __init__(
        self, network: Network, endpoint: _Endpoint, review: Review, answer: Callable[[Outcome], None]
    ) -> None:
        self._network = network
        self._endpoint = endpoint
        self._review = review
        self._answer: Callable[[Outcome], None] | None = answer
        self._take_back: Callable[[], None] = _nothing
        self._deadline = network.loop.world_after(review.timeout, lambda: self._conclude(Outcome(broken=TOO_LATE)))

    def start(self) -> None:
        """Send the call, or apply the fault that hits it."""
        target = Target("call", "webhooks", "", *self._review.service)
        fault = self._network.faults.hit(target, "apiserver")
        if fault is None:
            self._send()
            return
        self._network.broken_conditions.add(PROMPT_ANSWERS)
        if fault.on_hit is not None:
            fault.on_hit(target)
        step = partial(self._meet, fault)
        due = fault.due(self._network.loop.now)
        if due > self._network.loop.now:
            self._network.loop.world_at(due, step)
        else:
            step()

    def _meet(self, fault: Fault) -> None:
        if fault.broken:
            self._conclude(Outcome(broken=CUT_OFF))
        elif fault.status is not None:
            self._conclude(Outcome(fault.status["code"], orjson.dumps(fault.status)))
        else:
            self._send()

    def _send(self) -> None:
        if self._answer is not None:
            body = orjson.dumps(self._review.body())
            self._take_back = self._endpoint.callee(self._review.path, _JSON, body, self._returned)

    def _returned(self, result: Served | Broken) -> None:
        if isinstance(result, Broken):
            address = _ADDRESS if result.reason.startswith("connect:") else ""
            self._conclude(Outcome(broken=f"{address}{result.reason}"))
        else:
            self._conclude(Outcome(result.status, result.body))

    def _conclude(self, outcome: Outcome) -> None:
        answer, self._answer = self._answer, None
        if answer is None:
            return
        self._deadline.cancel()
        if outcome.broken:
            self._take_back()
        self._record(outcome)
        answer(outcome)

    def _record(self, outcome: Outcome) -> None:
        request = self._review.request
        resource = request["resource"]
        group, plural = resource["group"], resource["resource"]
        write = Write(
            at=self._network.loop.now,
            actor=self._endpoint.actor,
            verb="review",
            resource=f"{plural}.{group}" if group else plural,
            subresource=request.get("subResource", ""),
            namespace=request.get("namespace", ""),
            name=request.get("name", ""),
            code=outcome.status,
            reason=outcome.broken,
            before=None,
            after=None,
            body={"object": request["object"], "answer": decoded(outcome)},
            message=outcome.broken,
        )
        for observe in self._network.server.observers:
            observe(write)


def decoded(outcome: Outcome) -> Any:
    """An answer as data, with its patch decoded, as a trace shows it. An answer that cannot be read stays text."""
    try:
        review = orjson.loads(outcome.body) if outcome.body else None
    except orjson.JSONDecodeError:
        return outcome.body.decode(errors="replace")
    response = review.get("response") if isinstance(review, dict) else None
    if not isinstance(response, dict):
        return review
    shown = {key: value for key, value in response.items() if key not in ("uid", "patchType") and value is not None}
    if isinstance(shown.get("patch"), str):
        try:
            shown["patch"] = orjson.loads(base64.b64decode(shown["patch"]))
        except ValueError:
            return shown
    return shown


def _nothing() -> None:
    """There is nothing to cancel."""
