"""Replies as client-go decodes them: what rest.Result and the codecs of upstream answer for the same bytes."""

from __future__ import annotations

from typing import Any

import pytest

from lockstep.wire.gojson import STRING, DecodeError
from lockstep.wire.metav1 import list_of
from lockstep_reference.machinery.decoding import decode_into, decode_list, decode_registered
from lockstep_reference.machinery.transport import Response

VERSION = "things.io/v1"
THING, THINGS = list_of("v1", "Thing", {"name": STRING})
KINDS = {"Thing": THING, "ThingList": THINGS}
INTERPRETING = "couldn't get version/kind; json parse error: "
ANONYMOUS = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'


def reply(body: Any, content_type: str = "application/json") -> Response:
    return Response(200, body, {"Content-Type": content_type})


def things(**changes: Any) -> dict[str, Any]:
    return {"kind": "ThingList", "apiVersion": VERSION, "items": [{"name": "a"}], **changes}


@pytest.mark.parametrize("body", [things(), things(kind=None), things(apiVersion=""), things(apiVersion="/", kind="")])
def test_a_list_that_may_not_say_what_it_is(body: Any) -> None:
    assert decode_list(reply(body), VERSION, "ThingList", KINDS)["items"] == [{"name": "a"}]


@pytest.mark.parametrize(
    "body",
    [
        None,
        "null",
        {"kind": "Status", "apiVersion": "v1", "status": "Success"},
        {"kind": "Thing", "apiVersion": VERSION},
    ],
)
def test_answers_that_come_to_nothing(body: Any) -> None:
    assert decode_list(reply(body), VERSION, "ThingList", KINDS).get("items") is None


@pytest.mark.parametrize(
    ("response", "complaint"),
    [
        (
            reply([]),
            f"{INTERPRETING}json: cannot unmarshal array into Go value of type {ANONYMOUS}",
        ),
        (
            reply(things(kind=5)),
            f"{INTERPRETING}json: cannot unmarshal number into Go struct field .kind of type string",
        ),
        (reply(things(apiVersion="a/b/c")), "unexpected GroupVersion string: a/b/c"),
        (
            reply(things(kind="Foo")),
            'no kind "Foo" is registered for version "things.io/v1" in scheme "pkg/runtime/scheme.go:111"',
        ),
        (
            reply(things(apiVersion="things.io/v2")),
            'no kind "ThingList" is registered for version "things.io/v2" in scheme "pkg/runtime/scheme.go:111"',
        ),
        (reply({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "boom"}), "boom"),
        (reply({"kind": "Status", "apiVersion": "v1"}), ""),
        (reply({"kind": "Status", "message": "boom"}), "boom"),
        (reply({"kind": "Status", "apiVersion": "things.io/v9", "message": "boom"}), "boom"),
        (
            reply({"kind": "Status", "code": 1 << 31}),
            "json: cannot unmarshal number 2147483648 into Go struct field Status.code of type int32",
        ),
        (
            reply({"kind": "Status", "details": {"causes": [{"reason": 5}]}}),
            "json: cannot unmarshal number into Go struct field StatusCause.details.causes.reason of type v1.CauseType",
        ),
        (
            reply({"kind": "Thing", "apiVersion": VERSION, "name": 5}),
            "json: cannot unmarshal number into Go struct field Thing.name of type string",
        ),
        (
            reply(things(items=[{"name": 5}])),
            "json: cannot unmarshal number into Go struct field Thing.items.name of type string",
        ),
        (reply(""), "0-length response with status code: 200 and content type: application/json"),
        (
            reply('{"items":['),
            "couldn't get version/kind; json parse error: unexpected end of JSON input",
        ),
        (reply(things(), "text/plain"), "serializer for text/plain doesn't exist"),
    ],
)
def test_lists_that_make_no_sense(response: Response, complaint: str) -> None:
    with pytest.raises(DecodeError) as caught:
        decode_list(response, VERSION, "ThingList", KINDS)
    assert str(caught.value) == complaint


def test_text_that_is_json_is_read() -> None:
    assert decode_list(reply('{"items":[{"name":"b"}]}'), VERSION, "ThingList", KINDS)["items"] == [{"name": "b"}]


def test_into_a_type_of_no_scheme_kinds_do_not_matter() -> None:
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure"}
    assert decode_into(reply(status), THINGS) == status
    assert decode_into(reply(None), THINGS) == {}
    with pytest.raises(DecodeError, match="unexpected GroupVersion string: a/b/c"):
        decode_into(reply(things(apiVersion="a/b/c")), THINGS)


def test_what_must_say_what_it_is() -> None:
    assert decode_registered(reply(things(), "text/plain"), {VERSION: KINDS}) == (VERSION, "ThingList", things())
    assert decode_registered(reply('{"kind":"Status","apiVersion":"v1"}'), {VERSION: KINDS})[:2] == ("v1", "Status")
    assert decode_registered(reply('{"kind":"Status","apiVersion":"a/v2"}'), {VERSION: KINDS})[:2] == ("a/v2", "Status")


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (None, "Object 'Kind' is missing in 'null'"),
        ("", "Object 'Kind' is missing in ''"),
        (" ", "Object 'Kind' is missing in ' '"),
        ({"a": 1}, "Object 'Kind' is missing in '{\"a\":1}'"),
        ('{"a": 1}', "Object 'Kind' is missing in '{\"a\": 1}'"),
        ({"kind": "Thing"}, "Object 'apiVersion' is missing in '{\"kind\":\"Thing\"}'"),
        ('{"kind"', "couldn't get version/kind; json parse error: unexpected end of JSON input"),
        (
            "404 page not found",
            f"{INTERPRETING}json: cannot unmarshal string into Go value of type {ANONYMOUS}",
        ),
        (
            {"kind": "Foo", "apiVersion": VERSION},
            'no kind "Foo" is registered for version "things.io/v1" in scheme "pkg/runtime/scheme.go:111"',
        ),
    ],
)
def test_what_does_not_say_what_it_is(body: Any, complaint: str) -> None:
    with pytest.raises(DecodeError) as caught:
        decode_registered(reply(body), {VERSION: KINDS})
    assert str(caught.value) == complaint
