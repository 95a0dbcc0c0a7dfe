"""Command lines of the VPA's programs: what options become."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from lockstep.clusters.real.vpa_flags import flags_of
from lockstep.controllers.options import AdmissionOptions, RecommenderOptions, UpdaterOptions


@pytest.mark.parametrize(
    ("options", "flag"),
    [
        (RecommenderOptions(recommender_interval=30.0), "--recommender-interval=30000ms"),
        (RecommenderOptions(history_length="3d"), "--history-length=3d"),
        (RecommenderOptions(oom_min_bump_up_bytes=1.5e8), "--oom-min-bump-up-bytes=150000000.0"),
        (UpdaterOptions(eviction_tolerance=0.25), "--eviction-tolerance=0.25"),
        (UpdaterOptions(use_admission_controller_status=False), "--use-admission-controller-status=false"),
        (AdmissionOptions(webhook_timeout_seconds=5), "--webhook-timeout-seconds=5"),
    ],
)
def test_an_option_is_a_flag_of_its_name(options: object, flag: str) -> None:
    assert flag in flags_of(asdict(options), {})  # type: ignore[call-overload]


def test_what_is_empty_or_no_flag_is_left_out() -> None:
    flags = flags_of(asdict(AdmissionOptions(namespace="kube-system", hostname="here")), {})
    assert not [
        flag for flag in flags if flag.startswith(("--namespace", "--hostname", "--ca-bundle", "--webhook-addr"))
    ]


def test_feature_gates_are_one_flag() -> None:
    gates = {"InPlace": True, "CPUStartupBoost": False}
    assert flags_of({}, gates) == ["--feature-gates=InPlace=true,CPUStartupBoost=false"]
    assert flags_of({}, {}) == []
