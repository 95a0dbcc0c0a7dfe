"""The formats of names, labels and keys."""

from __future__ import annotations

from lockstep.wire.names import dns_subdomain, label_value, qualified_name, short_name


def test_keys_and_values() -> None:
    assert not qualified_name("example.com/My.Name")
    assert not label_value("")
    assert qualified_name("/a") == ("prefix part must be non-empty",)
    assert qualified_name("a/") == (
        "name part must be non-empty",
        (
            "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
            "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
            "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
        ),
    )
    assert qualified_name("a/b/c")[0].startswith("a valid label key must consist of")
    assert qualified_name(f"{'a' * 254}/b") == ("prefix part must be no more than 253 bytes",)
    assert qualified_name("a" * 64) == ("name part must be no more than 63 bytes",)
    assert label_value("a" * 64) == ("must be no more than 63 bytes",)


def test_length_is_counted_in_bytes() -> None:
    assert "name part must be no more than 63 bytes" in qualified_name("\u00e9" * 32)
    assert "must be no more than 63 bytes" in label_value("\u00e9" * 32)


def test_names_of_objects() -> None:
    assert dns_subdomain("web.example.com") == short_name("web-1") == ()
    assert dns_subdomain("a" * 254) == ("must be no more than 253 characters",)
    assert short_name("a.b") == ("must not contain dots",)
    assert short_name("a" * 64) == ("must be no more than 63 characters",)
    assert short_name("Web")[0].startswith("a lowercase RFC 1123 label must consist of")
