"""What is said where an extra of the distribution is not installed."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from lockstep.clusters.control_plane.certificates import Authority
from lockstep.clusters.real.connection import Connection
from lockstep.clusters.real.trust import Trust
from lockstep.errors import LockstepError, extra
from lockstep.scenarios.frozen import frozen
from lockstep.serving.background import KubeApi
from lockstep.serving.simulation import Setup

ROOT = Path(__file__).parents[2]


def _client(folder: Path) -> object:
    with KubeApi(folder, Setup()) as api:
        return api.api_client()


async def _freeze() -> None:
    with frozen():
        pass


@pytest.mark.parametrize(
    ("package", "use", "says"),
    [
        (
            "kubernetes",
            lambda tmp: Connection(tmp / "kubeconfig"),
            "real clusters need kubernetes, .* 'kube-lockstep[cluster]'",
        ),
        ("kubernetes", _client, "clients .* need kubernetes.config, .*[cluster]'"),
        ("trustme", lambda _: Trust("name"), "servers that a cluster calls need trustme, .*[cluster]'"),
        ("trustme", Authority, "certificates of a control plane need trustme, .*[cluster]'"),
        ("freezegun", lambda _: asyncio.run(_freeze()), "scenarios .* need freezegun, .*[frozen]'"),
    ],
)
def test_a_missing_extra_is_named_with_the_command_that_installs_it(
    package: str, use: Callable[[Path], object], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [one for one in sys.modules if one.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)  # how Python spells a module that cannot be imported
    with pytest.raises(LockstepError, match=says.replace("[", r"\[").replace("]", r"\]")) as missing:
        use(tmp_path)
    assert "\n" not in str(missing.value)


def test_other_errors_pass() -> None:
    with pytest.raises(ValueError, match="else"), extra("cluster", "things"):
        raise ValueError("something else")


def test_extras_that_are_named_exist() -> None:
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    text = "".join(path.read_text() for path in (ROOT / "harness").rglob("*.py"))
    named = set(re.findall(r"extra\(\"(\w+)\"", text))
    assert named == {"cluster", "frozen"}
    assert named <= known.keys()


def test_the_public_names_need_no_extra() -> None:
    code = "import sys; sys.modules['freezegun'] = sys.modules['kubernetes'] = None; from lockstep import *"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
