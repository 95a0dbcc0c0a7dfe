"""Stands in for the `go` tool: knows a Kubernetes tree, and compiles to a script that holds the go.mod it saw."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

TREE = Path(os.environ["FAKE_TREE"])


def main(arguments: list[str]) -> int:
    with (TREE / "calls").open("a") as calls:
        calls.write(" ".join(arguments) + "\n")
    if arguments[0] == "env":
        sys.stdout.write("go1.26.8\n")
    elif arguments[:2] == ["mod", "download"]:
        json.dump({"Dir": str(TREE), "Sum": "h1:abc="}, sys.stdout)
    elif os.environ.get("FAKE_GO_FAILS"):
        sys.stderr.write("server.go:7:2: undefined: podz\n")
        return 1
    else:
        Path(arguments[arguments.index("-o") + 1]).write_text(Path("go.mod").read_text())
    return 0


sys.exit(main(sys.argv[1:]))
