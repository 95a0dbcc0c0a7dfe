"""Bodies in Kubernetes' protobuf, as Go's typed clients send them."""

from __future__ import annotations

import pytest

from lockstep.serving.protobuf import MalformedProtobuf, decode

#: `kubectl create deployment web --image=nginx --replicas=3` of kubectl 1.32, to the end of what it wrote.
_SENT = bytes.fromhex(
    "6b3873000a150a07617070732f7631120a4465706c6f796d656e7412ab010a1f0a0377656212001a0022002a003200380042005a0a0a03617070"
    "12037765627a"
)


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    return bytes([value]) if value < 0x80 else bytes([value & 0x7F | 0x80]) + _varint(value >> 7)


def _envelope(version: str, kind: str, raw: bytes) -> bytes:
    head = _field(1, version.encode()) + _field(2, kind.encode())
    return b"k8s\x00" + _field(1, head) + _field(2, raw) + _field(3, b"") + _field(4, b"")


def test_an_object_is_read_and_zeros_are_left_out_as_json_does() -> None:
    metadata = (
        _field(1, b"web")
        + _field(3, b"")
        + b"\x38\x00"
        + _field(8, b"")
        + _field(11, _field(1, b"a") + _field(2, b"b"))
    )
    spec = b"\x08\x00" + b"\x28\x00" + b"\x38\x01"
    found = decode(_envelope("apps/v1", "Deployment", _field(1, metadata) + _field(2, spec)))
    assert found == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "labels": {"a": "b"}},
        "spec": {"replicas": 0, "paused": True},
    }


def test_values_have_the_form_that_json_gives_them() -> None:
    quantity = _field(1, _field(1, b"cpu") + _field(2, _field(1, b"500m")))
    port = _field(2, b"\x08\x00\x10\x50\x1a\x00")
    container = _field(1, b"app") + _field(8, quantity) + _field(10, _field(1, _field(2, _field(1, b"/") + port)))
    found = decode(_envelope("v1", "Pod", _field(2, _field(2, container))))
    assert found["spec"]["containers"] == [
        {
            "name": "app",
            "resources": {"limits": {"cpu": "500m"}},
            "livenessProbe": {"httpGet": {"path": "/", "port": 80}},
        }
    ]


def test_times_and_negative_numbers() -> None:
    renewed = _field(4, b"\x08\x80\x87\xb5\xc3\x03\x10\xc0\x84\x3d")
    duration = b"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
    found = decode(_envelope("coordination.k8s.io/v1", "Lease", _field(2, duration + renewed)))
    assert found["spec"] == {"leaseDurationSeconds": -1, "renewTime": "2000-01-01T00:00:00.001000Z"}


def test_options_belong_to_every_group() -> None:
    found = decode(_envelope("apps/v1", "DeleteOptions", _field(4, b"Foreground")))
    assert found["propagationPolicy"] == "Foreground"


def test_schemas_of_definitions_have_three_kinds_of_either_or() -> None:
    item = _field(5, b"string")
    one, several = _field(1, item), _field(2, item) + _field(2, item)
    listed = _field(24, one) + _field(30, b"\x08\x01") + _field(33, _field(2, item))
    depends = _field(32, _field(1, b"a") + _field(2, _field(2, b"b")))
    schema = listed + depends + _field(8, _field(1, b"[1]")) + _field(20, _field(1, b'"x"')) + _field(3, b"#/a")
    version = _field(1, b"v1") + _field(4, _field(1, schema)) + _field(5, _field(1, b""))
    found = decode(_envelope("apiextensions.k8s.io/v1", "CustomResourceDefinition", _field(2, _field(7, version))))
    assert found["spec"]["versions"] == [
        {
            "name": "v1",
            "schema": {
                "openAPIV3Schema": {
                    "items": {"type": "string"},
                    "additionalProperties": True,
                    "additionalItems": {"type": "string"},
                    "dependencies": {"a": ["b"]},
                    "default": [1],
                    "enum": ["x"],
                    "$ref": "#/a",
                }
            },
            "subresources": {"status": {}},
        }
    ]
    both = decode(_envelope("apiextensions.k8s.io/v1", "JSONSchemaProps", _field(24, several)))
    assert both["items"] == [{"type": "string"}, {"type": "string"}]


@pytest.mark.parametrize(
    "raw",
    [b"", b"{}", _SENT, _envelope("v9", "Rocket", b""), b"k8s\x00\xff", _envelope("v1", "Pod", b"\xff" * 20)],
)
def test_what_is_no_object_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedProtobuf):
        decode(raw)
