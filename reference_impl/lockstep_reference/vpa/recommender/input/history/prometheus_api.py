"""The HTTP API of Prometheus, as far as it is used (github.com/prometheus/client_golang api/prometheus/v1/api.go).

Queries are sent as forms with POST, and once more with GET if the server does not take that. Requests go to the
simulation's Prometheus, whose paths begin with `PREFIX`: there is no other address.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlencode

from lockstep.wire.gotext import quote
from lockstep.wire.gotime import EPOCH_NS, SECOND
from lockstep_reference.machinery.transport import Response, Transport

PREFIX = "/prometheus"
_FORM = "application/x-www-form-urlencoded"
_API_ERRORS = (HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.BAD_REQUEST)
_MILLISECOND = 10**6


class PrometheusError(Exception):
    """A query without a usable answer."""


class Series(NamedTuple):
    """A time series of a matrix: its labels, and (instant, value) in order of time."""

    metric: Mapping[str, str]
    values: list[tuple[int, float]]


class PrometheusApi:
    """Asks one Prometheus; every query has `timeout` seconds."""

    def __init__(self, transport: Transport, timeout: float) -> None:
        self._transport = transport
        self._timeout = timeout

    async def query(self, query: str, instant: int) -> list[Series]:
        """An instant query that must give a matrix. Raises PrometheusError."""
        return await self._ask("query", {"query": query, "time": format_time(instant)})

    async def query_range(self, query: str, start: int, end: int, step: int) -> list[Series]:
        """A range query; all times in nanoseconds. Raises PrometheusError."""
        args = {"query": query, "start": format_time(start), "end": format_time(end), "step": _decimal(step / SECOND)}
        return await self._ask("query_range", args)

    async def _ask(self, endpoint: str, args: Mapping[str, str]) -> list[Series]:
        path = f"{PREFIX}/api/v1/{endpoint}"
        form = urlencode(sorted(args.items()))
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._transport.request("POST", path, None, form, _FORM)
                if response.status in (HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED):
                    response = await self._transport.request("GET", path, args)
        except TimeoutError as error:
            raise PrometheusError(f'Post "{path}": context deadline exceeded') from error
        except OSError as error:
            raise PrometheusError(str(error)) from error
        return _matrix(_data(response))


def format_time(instant: int) -> str:
    """Seconds since 1970 (formatTime)."""
    seconds, nanoseconds = divmod(instant + EPOCH_NS, SECOND)
    return _decimal(float(seconds) + float(nanoseconds) / 1e9)


def _decimal(number: float) -> str:
    """The shortest text that names the number (FormatFloat 'f', -1); all of them are too small for an exponent."""
    return repr(number).removesuffix(".0")


def _data(response: Response) -> Mapping[str, Any]:
    """The `data` of an answer (apiClientImpl.Do). Raises PrometheusError."""
    code = response.status
    is_api_error = code in _API_ERRORS
    if code // 100 != 2 and not is_api_error:
        kind = {4: "client_error: client error:", 5: "server_error: server error:"}.get(code // 100)
        raise PrometheusError(f"{kind or 'bad_response: bad response code'} {code}")
    result = _parsed(response.body) if code != HTTPStatus.NO_CONTENT else {}
    if type(result) is not dict:
        raise PrometheusError("bad_response: the answer is no JSON object")
    if result.get("status") == "error":
        raise PrometheusError(f"{result.get('errorType') or ''}: {result.get('error') or ''}")
    if is_api_error and result.get("status") == "success":
        raise PrometheusError("bad_response: inconsistent body for response code")
    data = result.get("data")
    if type(data) is not dict:
        raise PrometheusError("the answer has no data")
    return data


def _parsed(body: Any) -> Any:
    """JSON, if the transport has not decoded it already."""
    if not isinstance(body, str):
        return body
    try:
        return json.loads(body)
    except ValueError as error:
        raise PrometheusError(f"bad_response: {error}") from error


def _matrix(data: Mapping[str, Any]) -> list[Series]:
    """The series of a matrix (queryResult.UnmarshalJSON). Raises PrometheusError."""
    kind = data.get("resultType")
    if kind in ("vector", "scalar"):
        type_ = "model.Vector" if kind == "vector" else "*model.Scalar"
        raise PrometheusError(f"expected query to return a matrix; got result type {type_}")
    if kind != "matrix":
        raise PrometheusError(f"unexpected value type {quote(kind if isinstance(kind, str) else '')}")
    try:
        return [_series(one) for one in data.get("result") or ()]
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise PrometheusError(f"malformed matrix: {error}") from error


def _series(one: Mapping[str, Any]) -> Series:
    metric = one.get("metric") or {}
    if not all(type(value) is str for value in metric.values()):
        raise TypeError("a label that is no string")
    if not one.keys() <= {"metric", "values", "histograms"}:
        raise ValueError("unexpected key")
    return Series(metric, [_sample(pair) for pair in one.get("values") or ()])


def _sample(pair: Any) -> tuple[int, float]:
    """Times have milliseconds, the rest is cut off; values are texts."""
    instant, value = pair
    if type(value) is not str or type(instant) not in (int, float):
        raise TypeError("a sample is a time and a text")
    whole, _, fraction = (str(instant) if type(instant) is int else f"{instant:.3f}").partition(".")
    milliseconds = abs(int(whole)) * 1000 + int((fraction + "000")[:3])
    if whole.startswith("-"):
        milliseconds = -milliseconds
    return milliseconds * _MILLISECOND - EPOCH_NS, _float(value)


def _float(text: str) -> float:
    """strconv.ParseFloat; what is too large raises, as there."""
    number = float(text.replace("Inf", "inf"))
    if number in (float("inf"), float("-inf")) and "inf" not in text.lower():
        raise ValueError(f"{text} is out of range")
    return number
