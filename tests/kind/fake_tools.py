"""Stands in for docker, kind, kubectl and zstd, by the name it is called by. What exists are files below FAKE_TOOLS.

`images/<tag>` holds the recipe of an image, `clusters/<name>` whose cluster it is ("ours" or ""), `calls` all calls,
and `broken` one line `<tool> <verb>: <complaint>` for each call that fails.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

STATE = Path(os.environ["FAKE_TOOLS"])


def main(tool: str, arguments: list[str]) -> int:
    with (STATE / "calls").open("a") as calls:
        calls.write(f"{tool} {' '.join(arguments)}\n")
    broken = STATE / "broken"
    for line in broken.read_text().splitlines() if broken.is_file() else ():
        call, _, complaint = line.partition(": ")
        if f"{tool} {' '.join(arguments)}".startswith(call):
            sys.stderr.write(f"{complaint}\n")
            return 1
    return {"docker": docker, "kind": kind, "kubectl": lambda _: 0, "zstd": zstd}[tool](arguments)


def _image(tag: str) -> Path:
    return STATE / "images" / tag.replace("/", "+")


def docker(arguments: list[str]) -> int:
    match arguments:
        case ["version", *_]:
            sys.stdout.write("20.10.24\n")
        case ["image", "inspect", *_, tag]:
            if not _image(tag).is_file():
                sys.stderr.write(f"Error: No such image: {tag}\n")
                return 1
            sys.stdout.write(_image(tag).read_text() + "\n")
        case ["tag", source, target]:
            _image(target).write_text(_image(source).read_text())
        case ["image", "rm", tag]:
            _image(tag).unlink()
        case ["save", tag]:
            sys.stdout.write(f"{tag} {_image(tag).read_text()}")
        case ["load", *_]:
            tag, _, recipe = sys.stdin.read().partition(" ")
            _image(tag).write_text(recipe)
        case ["ps", *_, condition]:
            cluster = STATE / "clusters" / condition.rpartition("=")[2]
            sys.stdout.write(f"{cluster.name}-id\n" if cluster.is_file() else "")
        case ["inspect", shown, container] if shown.startswith("--format"):
            sys.stdout.write((STATE / "clusters" / container.removesuffix("-id")).read_text() + "\n")
        case ["inspect", container]:
            networks = {"kind": {"Gateway": os.environ.get("FAKE_GATEWAY", "127.0.0.1")}}
            name = f"/{container.removesuffix('-id')}-control-plane"
            json.dump([{"Name": name, "NetworkSettings": {"Networks": networks}}], sys.stdout)
        case ["exec", _, "cat", *_]:
            sys.stdout.write("v1.36.3")
        case ["exec", _, "ctr", *_]:
            sys.stdout.write("registry.k8s.io/etcd:3.6.8-0\nregistry.k8s.io/pause:3.10.2\nsha256:abc\n")
    return 0


def kind(arguments: list[str]) -> int:
    options = dict(word.split("=", 1) for word in arguments if "=" in word)
    name = options.get("--name") or arguments[arguments.index("--name") + 1] if "cluster" in arguments else ""
    cluster = STATE / "clusters" / name
    match arguments:
        case ["get", "clusters"]:
            sys.stdout.write("".join(f"{one.name}\n" for one in sorted((STATE / "clusters").iterdir())))
        case ["create", *_]:
            sys.stderr.write("Creating cluster ...\n")
            cluster.write_text("ours")
            server = {"name": name, "cluster": {"server": "https://127.0.0.1:1"}}
            user = {"name": name, "user": {"token": "x"}}
            context = {"name": name, "context": {"cluster": name, "user": name}}
            config = {"clusters": [server], "users": [user], "contexts": [context], "current-context": name}
            Path(options["--kubeconfig"]).write_text(json.dumps(config))
            time.sleep(float(os.environ.get("FAKE_KIND_TAKES", "0")))
        case ["delete", *_]:
            cluster.unlink(missing_ok=True)
    return 0


def zstd(arguments: list[str]) -> int:
    if "-o" in arguments:
        Path(arguments[-1]).write_text(sys.stdin.read())
    else:
        sys.stdout.write(Path(arguments[-1]).read_text())
    return 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
