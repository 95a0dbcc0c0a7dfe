"""The lists fit the sources: every mutant can be made, and is still a program."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lockstep.implementations.upstream.releases import VPA
from lockstep.quality.mutants.catalogue import Catalogue, Mutant, controllers, load
from lockstep.quality.mutants.mutation import mutated

ROOT = Path(__file__).parents[2]
_CACHE = Path(os.environ.get("GOMODCACHE") or Path(os.environ.get("GOPATH") or Path.home() / "go") / "pkg/mod")


def lists(kind: str) -> list[Catalogue]:
    return [load(kind, controller) for controller in controllers()]


def mutants(kind: str) -> list[Mutant]:
    return [mutant for catalogue in lists(kind) for mutant in catalogue.mutants]


@pytest.mark.parametrize("mutant", mutants("reference"), ids=lambda one: one.id)
def test_a_mutant_of_the_reference_can_be_made(mutant: Mutant) -> None:
    compile(mutated((ROOT / "reference_impl" / mutant.file).read_text(), mutant), mutant.file, "exec")


def test_all_lists_follow_one_release() -> None:
    assert len({one.release for kind in ("reference", "upstream") for one in lists(kind)}) == 1


RELEASE = lists("upstream")[0].release
MODULES = {
    "hpa": f"k8s.io/kubernetes@v{RELEASE}",
    "replicaset": f"k8s.io/kubernetes@v{RELEASE}",
    "vpa": f"k8s.io/autoscaler/vertical-pod-autoscaler@v{VPA[RELEASE]}",
}
#: Only of modules that Go has downloaded.
MAKEABLE = [one for one in mutants("upstream") if (_CACHE / MODULES[one.controller]).is_dir()]

if MAKEABLE:

    @pytest.mark.parametrize("mutant", MAKEABLE, ids=lambda one: one.id)
    def test_a_mutant_of_upstream_can_be_made(mutant: Mutant) -> None:
        text = (_CACHE / MODULES[mutant.controller] / mutant.file).read_text()
        assert mutated(text, mutant) != text
