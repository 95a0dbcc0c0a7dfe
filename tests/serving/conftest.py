"""kubectl, pointed at the served cluster."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from lockstep.serving.background import KubeApi
from tests.serving.programs import Kubectl


@pytest.fixture
def kubectl(kube_api: KubeApi, tmp_path: Path) -> Kubectl:
    """Runs kubectl and returns what it prints; a failure is one of the test, unless `fails` expects it."""

    def run(*words: str, stdin: Any = None, fails: bool = False, **variables: str) -> str:
        text = None if stdin is None else stdin if isinstance(stdin, str) else json.dumps(stdin)
        environment = {**os.environ, "HOME": str(tmp_path), **variables}
        command = ["kubectl", "--kubeconfig", str(kube_api.kubeconfig), *words]
        done = subprocess.run(
            command, input=text, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        assert (done.returncode != 0) == fails, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    return run
