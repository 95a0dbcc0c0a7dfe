"""Stands in for the `go` tool: knows one Kubernetes tree, and compiles it to whatever FAKE_GO_MODE says."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

KUBERNETES = Path(os.environ["FAKE_KUBERNETES"])


def main(arguments: list[str]) -> int:
    mode = os.environ.get("FAKE_GO_MODE", "")
    with (KUBERNETES.parent / "calls").open("a") as calls:
        calls.write(" ".join(arguments) + "\n")
    if arguments[0] == "env":
        sys.stdout.write(os.environ.get("FAKE_GO_VERSION", "go1.26.8") + "\n")
    elif arguments[:2] == ["mod", "download"]:
        name, _, version = arguments[-1].partition("@")
        sys.stderr.write(f"go: downloading {name} {version}\n")
        folder = KUBERNETES if name == "k8s.io/kubernetes" else KUBERNETES.parent / "modules" / name
        json.dump({"Dir": str(folder), "Sum": "h1:abc=" if folder == KUBERNETES else "h1:xyz="}, sys.stdout, indent=1)
    elif arguments[0] == "list":
        for package in arguments[-2:]:
            sys.stdout.write(f"{package} {KUBERNETES.parent / package}\n")
    elif mode == "fails":
        sys.stderr.write("# k8s.io/kubernetes/pkg/controller/replicaset\nreplica_set.go:7:2: undefined: podz\n")
        return 1
    else:
        time.sleep(0.3 if mode == "slow" else 0)
        Path(arguments[arguments.index("-o") + 1]).write_text(Path("go.mod").read_text())
    return 0


sys.exit(main(sys.argv[1:]))
