"""Questions to webhooks and their answers: AdmissionReview v1.

From apiserver/pkg/admission/plugin/webhook/request/admissionreview.go, errors/statuserror.go and
mutating/dispatcher.go (callAttrMutatingHook).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from lockstep.apiserver.errors import ApiError
from lockstep.wire.gotext import quote

API_VERSION = "admission.k8s.io/v1"


@dataclass(frozen=True, slots=True)
class Review:
    """One question. `service`: namespace and name of the Service that answers, both "" for a plain URL."""

    webhook: str
    service: tuple[str, str]
    #: Where the question goes, with the timeout as the webhook gets it.
    url: str
    path: str
    #: Seconds in which the webhook must answer.
    timeout: int
    uid: str
    #: The AdmissionRequest without its uid.
    request: Mapping[str, Any]

    def body(self) -> dict[str, Any]:
        """The AdmissionReview to send."""
        return {"kind": "AdmissionReview", "apiVersion": API_VERSION, "request": {"uid": self.uid, **self.request}}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came back: an HTTP answer, or (`broken`) the reason why there was none."""

    status: int = 0
    body: bytes = b""
    broken: str = ""


class Unanswered(Exception):
    """The request cannot go on before a webhook has been asked."""

    def __init__(self, review: Review) -> None:
        super().__init__(review.webhook)
        self.review = review


class Hearing:
    """The answers that one request has so far, in the order of the questions."""

    __slots__ = ("_asked", "_heard")

    def __init__(self) -> None:
        self._heard: list[tuple[Review, Outcome]] = []
        self._asked = 0

    def begin(self) -> None:
        """The request is retried from the start."""
        self._asked = 0

    def note(self, review: Review, outcome: Outcome) -> None:
        """Keep an answer."""
        self._heard.append((review, outcome))

    def answer(self, review: Review) -> tuple[str, Outcome]:
        """The uid and the outcome of this question. Raises Unanswered if it was not asked yet, or not like this."""
        position = self._asked
        self._asked += 1
        if position < len(self._heard):
            known, outcome = self._heard[position]
            if (known.webhook, known.url, known.request) == (review.webhook, review.url, review.request):
                return known.uid, outcome
            del self._heard[position:]
        raise Unanswered(review)


class CallFailed(Exception):
    """The webhook was not reached, or its answer was invalid (webhookutil.ErrCallingWebhook)."""

    def __init__(self, webhook: str, reason: str) -> None:
        super().__init__(f"failed calling webhook {quote(webhook)}: {reason}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a webhook decided: the operations of its JSON patch, and warnings for the client."""

    patch: Sequence[Any] = ()
    warnings: tuple[str, ...] = ()
    #: The Status of a refusal.
    refusal: ApiError | None = field(default=None)


def judge(review: Review, uid: str, outcome: Outcome) -> Verdict:
    """Read an answer (VerifyAdmissionResponse). Raises CallFailed."""
    if outcome.broken:
        raise CallFailed(review.webhook, f'failed to call webhook: Post "{review.url}": {outcome.broken}')
    if not 200 <= outcome.status <= 206:
        raise CallFailed(review.webhook, f"failed to call webhook: {_server_error(outcome)}")
    response = _response(review, uid, outcome.body)
    warnings = tuple(str(one) for one in response.get("warnings") or ())
    if not response.get("allowed"):
        return Verdict(warnings=warnings, refusal=_refusal(review.webhook, response.get("status")))
    return Verdict(_operations(review.webhook, response.get("patch") or ""), warnings)


def _response(review: Review, uid: str, body: bytes) -> Mapping[str, Any]:
    def wrong(why: str) -> CallFailed:
        return CallFailed(review.webhook, f"received invalid webhook response: {why}")

    answer = _decoded(review.webhook, body)
    response = answer.get("response")
    if not isinstance(response, dict):
        raise wrong("webhook response was absent")
    if response.get("uid", "") != uid:
        given = quote(str(response.get("uid", "")))
        raise wrong(f"expected response.uid={quote(uid)}, got {given}")
    patch, kind = response.get("patch") or "", response.get("patchType")
    if patch and kind is None:
        raise wrong("webhook returned response.patch but not response.patchType")
    if not patch and kind is not None:
        raise wrong("webhook returned response.patchType but not response.patch")
    if kind == "":
        raise wrong('webhook returned invalid response.patchType of ""')
    if patch and kind != "JSONPatch":
        raise CallFailed(review.webhook, f"unsupported patch type {quote(str(kind))}")
    return response


def _decoded(webhook: str, body: bytes) -> Mapping[str, Any]:
    if not body:
        raise CallFailed(webhook, "failed to call webhook: 0-length response with status code: 200 and content type: ")
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError as problem:
        raise CallFailed(
            webhook, f"failed to call webhook: couldn't get version/kind; json parse error: {problem}"
        ) from None
    kind = (answer.get("apiVersion"), answer.get("kind")) if isinstance(answer, dict) else (None, None)
    if kind != (API_VERSION, "AdmissionReview"):
        raise CallFailed(
            webhook,
            "received invalid webhook response: expected webhook response of admission.k8s.io/v1, "
            f"Kind=AdmissionReview, got {kind[0] or ''}, Kind={kind[1] or ''}",
        )
    return dict(answer)


def _operations(webhook: str, encoded: str) -> Sequence[Any]:
    try:
        operations = orjson.loads(base64.b64decode(encoded, validate=True)) if encoded else []
    except (binascii.Error, orjson.JSONDecodeError) as problem:
        raise CallFailed(webhook, f"received undecodable patch in webhook response: {problem}") from None
    if not isinstance(operations, list):
        raise CallFailed(webhook, "received undecodable patch in webhook response: it is no list of operations")
    return operations


def _refusal(webhook: str, status: Any) -> ApiError:
    """ToStatusErr: a refusal never looks like a success."""
    given = dict(status) if isinstance(status, dict) else {}
    denied = f"admission webhook {quote(webhook)} denied the request"
    why = given.get("message") or given.get("reason")
    code = max(400, int(given.get("code") or 0))
    refusal = ApiError(code, given.get("reason") or "", f"{denied}: {why}" if why else f"{denied} without explanation")
    if given.get("details"):
        refusal.status["details"] = given["details"]
    return refusal


def _server_error(outcome: Outcome) -> str:
    """client-go's message for an unsuccessful answer (errors.NewGenericServerResponse), without verb and resource."""
    text = outcome.body.decode(errors="replace").strip() or "unknown"
    if outcome.status == 404:
        return "the server could not find the requested resource"
    if outcome.status == 413:
        return f"Request entity too large: {text}"
    if outcome.status == 503:
        return "the server is currently unable to handle the request"
    if outcome.status >= 500:
        return f"an error on the server ({quote(text)}) has prevented the request from succeeding"
    return f"the server responded with the status code {outcome.status} but did not return more information"
