"""Keys, versions and owners."""

from __future__ import annotations

import pytest

from lockstep.wire import meta


def test_keys() -> None:
    assert meta.key_of({"metadata": {"name": "n", "namespace": "ns"}}) == "ns/n"
    assert meta.key_of({"metadata": {"name": "n"}}) == "n"
    assert meta.split_key("ns/n") == ("ns", "n")
    assert meta.split_key("n") == ("", "n")
    with pytest.raises(ValueError, match='unexpected key format: "a/b/c"'):
        meta.split_key("a/b/c")


def test_controller_of() -> None:
    owners = [{"uid": "1"}, {"uid": "2", "controller": True}]
    assert meta.controller_of({"metadata": {"ownerReferences": owners}}) == owners[1]
    assert meta.controller_of({"metadata": {"ownerReferences": owners[:1]}}) is None
    assert meta.controller_of({"metadata": {}}) is None


def test_an_object_without_metadata_has_neither_uid_nor_owner_nor_end() -> None:
    assert (meta.uid({}), meta.controller_of({}), meta.is_terminating({})) == ("", None, False)
