"""What docs/serving.md shows is true: its tests pass, and its document is one."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml

from lockstep.serving.background import KubeApi
from lockstep.serving.simulation import Setup

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "serving.md"


#: Stands for the other language's test suite, which the machine need not have.
_PROGRAM = """#!/bin/sh
grep -q 'server: http://127.0.0.1:' "$KUBECONFIG" && test "$*" = "test ./..."
"""


def test_the_tests_on_the_page_pass(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    program = tmp_path / "go"
    program.write_text(_PROGRAM)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found = re.findall(r"^```py\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(found) == 2
    pytester.makepyfile(**{f"test_{number}": text for number, text in enumerate(found)})
    pytester.runpytest_subprocess("-p", "lockstep.pytest_plugin").assert_outcomes(passed=2)


def test_the_document_on_the_page_makes_sense(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (document,) = re.findall(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    with KubeApi(tmp_path, Setup(clock="manual", pods=yaml.safe_load(document))) as api:
        reported = api.request("GET", "/lockstep/pods")
        assert api.request("GET", "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue_depth")["items"]
    assert list(reported) == ["loads", "external", "custom", "lifecycles"]
