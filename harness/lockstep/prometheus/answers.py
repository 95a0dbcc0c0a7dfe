"""The HTTP API: `/api/v1/query` and `/api/v1/query_range` (web/api/v1/api.go)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from lockstep.apiserver.messages import Reply, Request, TextReply
from lockstep.prometheus.evaluation import MAX_POINTS, Line, evaluate_instant, evaluate_range
from lockstep.prometheus.queries import BadQuery, parse
from lockstep.prometheus.series import Series

_FORM = "application/x-www-form-urlencoded"


def answer(endpoint: str, request: Request, series: Iterable[Series]) -> Reply:
    """The reply to a request for an endpoint, such as `query`."""
    if request.method not in ("GET", "POST"):
        return TextReply(405, "Method Not Allowed\n")
    arguments = arguments_of(request)
    try:
        if endpoint == "query":
            return _instant(arguments, series)
        if endpoint == "query_range":
            return _range(arguments, series)
    except BadQuery as error:
        return Reply(400, {"status": "error", "errorType": "bad_data", "error": str(error)})
    return TextReply(404, "404 page not found\n")


def arguments_of(request: Request) -> Mapping[str, str]:
    """The arguments of a request, from its form or its query."""
    body = request.body
    if request.method != "POST" or request.content_type.partition(";")[0] != _FORM:
        return request.query
    text = bytes(body).decode() if isinstance(body, (bytes, bytearray, memoryview)) else str(body or "")
    return {**request.query, **dict(parse_qsl(text, keep_blank_values=True))}


def samples_in(reply: Reply) -> int:
    """How many samples (pairs of time and value) a reply contains; 0 for an error."""
    data = reply.body.get("data") if isinstance(reply.body, dict) else None
    return sum(len(line.get("values", (None,))) for line in data["result"]) if data else 0


def _instant(arguments: Mapping[str, str], series: Iterable[Series]) -> Reply:
    query, time = parse(arguments.get("query", "")), _time(arguments, "time")
    lines = evaluate_instant(query, series, time)
    if query.range and not query.rate:
        return _success("matrix", [_matrix(line) for line in lines])
    return _success("vector", [{"metric": line.labels, "value": _sample(line.samples[0])} for line in lines])


def _range(arguments: Mapping[str, str], series: Iterable[Series]) -> Reply:
    start, end, step = _time(arguments, "start"), _time(arguments, "end"), _time(arguments, "step")
    if end < start:
        raise BadQuery('invalid parameter "end": end timestamp must not be before start time')
    if step <= 0:
        raise BadQuery('invalid parameter "step": zero or negative query resolution step widths are not accepted')
    if (end - start) // step > MAX_POINTS:
        raise BadQuery(
            "exceeded maximum resolution of 11,000 points per timeseries. "
            "Try decreasing the query resolution (?step=XX)"
        )
    lines = evaluate_range(parse(arguments.get("query", "")), series, start, end, step)
    return _success("matrix", [_matrix(line) for line in lines])


def _time(arguments: Mapping[str, str], name: str) -> int:
    """Milliseconds; texts are seconds. Raises BadQuery."""
    text = arguments.get(name, "")
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not math.isfinite(seconds):
        raise BadQuery(f'invalid parameter "{name}": cannot parse "{text}" to a valid timestamp')
    return round(seconds * 1000)


def _success(kind: str, result: Sequence[Any]) -> Reply:
    return Reply(200, {"status": "success", "data": {"resultType": kind, "result": result}})


def _matrix(line: Line) -> dict[str, Any]:
    return {"metric": line.labels, "values": [_sample(sample) for sample in line.samples]}


def _sample(sample: tuple[int, float]) -> list[Any]:
    milliseconds, value = sample
    return [milliseconds / 1000 if milliseconds % 1000 else milliseconds // 1000, float_text(value)]


def float_text(value: float) -> str:
    """The shortest text for a value, as Go prints it: with an exponent only if it is very small or very large."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if not value or 1e-6 <= abs(value) < 1e21:
        text = repr(value)
        if "e" in text:
            mantissa, _, exponent = text.partition("e")
            decimals = max(len(mantissa.partition(".")[2]) - int(exponent), 0)
            text = f"{value:.{decimals}f}"
        return text.removesuffix(".0")
    mantissa, _, exponent = f"{value!r}".partition("e")
    if not exponent:  # Python writes numbers up to 1e16 without an exponent; none of these gets here
        return mantissa
    return f"{mantissa}e{exponent[0] if exponent[0] in '+-' else '+'}{exponent.lstrip('+-'):0>2}"
