"""A working example for a new or existing repository: a scenario, settings, a CI workflow. Nothing is overwritten."""

from __future__ import annotations

import tomllib
from pathlib import Path

from lockstep.files import write_whole
from lockstep.project.settings import ProjectError

_TABLE = """\
[tool.lockstep]
scenarios = ["tests"]                     # files and folders of scenarios
recordings = "lockstep/recordings"        # what upstream did: lockstep record writes here
regressions = "lockstep/regressions"      # cases that lockstep fuzz --save keeps
ledger = "lockstep/divergences.yaml"      # differences that you know of
against = "none"                          # "recorded" once there are recordings
"""

_SCENARIO = '''\
"""What this team expects of its autoscaler. Run it: `lockstep run`, or `python -m pytest`."""

from __future__ import annotations

from lockstep import Cluster, metrics, objects, scenario


@scenario(
    "example/follows-the-day",
    must="The autoscaler MUST follow the daily load, and MUST stay within its bounds.",
    controllers=("hpa", "replicaset"),
)
async def test_follows_the_day(cluster: Cluster) -> None:
    # Cores that all pods use together: 1 at night, 6 at two in the afternoon.
    cluster.metrics.load("web", cpu=metrics.shared(metrics.daily(1, 6, peak_hour=14)))
    app = objects.container(resources={"requests": {"cpu": "500m"}})
    pods = objects.pod_template({"app": "web"}, containers=[app])
    cpu = objects.resource_metric("cpu", utilization=60)
    await cluster.create(
        objects.replica_set("web", 3, template=pods),
        objects.hpa("web", min_replicas=3, max_replicas=18, metrics=[cpu]),
    )
    for hour, wanted in ((4, 4), (9, 13), (14, 18), (22, 8)):
        await cluster.run_until(hour * 3600)
        cluster.expect(f"pods at {hour} h", len(cluster.pods("web")), wanted)
'''

_WORKFLOW = """\
name: lockstep
on: [push, pull_request]
permissions:
  contents: read
jobs:
  scenarios:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: python -m pip install kube-lockstep
      - run: lockstep run
  # The same scenarios on the unmodified Go controllers. The build is kept between runs.
  upstream:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - uses: actions/setup-go@v5
        with:
          go-version: stable
          cache: false
      - uses: actions/cache@v4
        with:
          path: ~/.cache/lockstep
          key: lockstep-${{ runner.os }}
      - run: python -m pip install kube-lockstep
      - run: lockstep run --implementation upstream
"""

#: The content of each file, by its path below the project's root. The table goes into pyproject.toml.
FILES = {
    "tests/test_example_scenarios.py": _SCENARIO,
    ".github/workflows/lockstep.yml": _WORKFLOW,
}


def lay_out(root: Path) -> list[tuple[Path, str]]:
    """Write what is missing; returns for each file "written", "extended" or "kept as it is".

    Raises ProjectError, before anything is written, if pyproject.toml cannot be read.
    """
    for name in FILES:
        for parent in list((root / name).relative_to(root).parents)[:-1]:
            if (root / parent).exists() and not (root / parent).is_dir():
                raise ProjectError(f"{root / parent} is a file, and {name} belongs below it; nothing was written")
    settings = root / "pyproject.toml"
    done = [(settings, _settings(settings))]
    for name, text in FILES.items():
        path = root / name
        if path.exists():
            done.append((path, "kept as it is"))
            continue
        write_whole(path, text)
        done.append((path, "written"))
    return done


def _settings(file: Path) -> str:
    """Add the table to pyproject.toml, whose other text stays as it is."""
    if not file.exists():
        write_whole(file, _TABLE)
        return "written"
    try:
        text = file.read_bytes().decode("utf-8")
        known = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ProjectError(f"{file} cannot be read: {error}; mend it first, nothing was written") from error
    if "lockstep" in known.get("tool", {}):
        return "kept as it is"
    ending = "\r\n" if "\r\n" in text else "\n"
    extended = f"{text.rstrip()}\n\n{_TABLE}".replace("\r\n", "\n").replace("\n", ending)
    try:
        tomllib.loads(extended)
    except tomllib.TOMLDecodeError as error:
        raise ProjectError(f"a table [tool.lockstep] does not fit into {file} ({error}); add it by hand") from error
    write_whole(file, extended)
    return "extended"
