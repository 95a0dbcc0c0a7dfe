"""A cluster is started once, is ours alone, and is gone at the end, however that comes. Docker is a stand-in."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from lockstep.clusters.kind import KindFailed
from lockstep.clusters.kind.cluster import kind_cluster
from lockstep.clusters.kind.config import MARK
from lockstep.clusters.kind.node_image import default_tag
from lockstep.environments.options import KindOptions
from tests.kind.conftest import Tools
from tests.processes import hear_interrupts, until

_KEPT = KindOptions(keep=True)


def test_the_facts_of_a_cluster(tools: Tools, cache: Path) -> None:
    with kind_cluster() as cluster:
        assert tools.clusters() == ["lockstep"]
        assert (cluster.name, cluster.node) == ("lockstep", "lockstep-control-plane")
        assert cluster.kubeconfig == cache / "clusters/lockstep/kubeconfig"
        assert cluster.kubeconfig.is_file()
        assert cluster.api_url == "https://127.0.0.1:1"
        assert cluster.pause_image == "registry.k8s.io/pause:3.10.2"
        assert cluster.version == "v1.36.3"
        assert cluster.host_address == "127.0.0.1"
    assert tools.clusters() == []
    assert not cluster.kubeconfig.exists()


def test_it_is_ready_when_its_node_is_and_pods_can_be_made(tools: Tools) -> None:
    with kind_cluster():
        waits = tools.calls("kubectl")
    assert [wait.split(" wait ")[1] for wait in waits] == [
        "--for=condition=Ready node --all --timeout=180s",
        "--for=create serviceaccount/default --timeout=180s",
    ]


def test_nothing_is_written_where_the_user_is(tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    with kind_cluster():
        pass
    assert list(here.iterdir()) == []


def test_the_image_is_the_one_named_or_ours_or_the_default_of_kind(tools: Tools) -> None:
    def images() -> list[str]:
        return [word for call in tools.calls("kind create") for word in call.split() if word.startswith("--image")]

    with kind_cluster():
        assert images() == []
    tools.add_image(default_tag("1.36.3"), "recipe")
    with kind_cluster():
        assert images() == ["--image=lockstep/node:v1.36.3"]
    with kind_cluster(KindOptions(image="kindest/node:v1.35.0")):
        assert images()[1:] == ["--image=kindest/node:v1.35.0"]


def test_programs_of_the_cache_serve_where_path_has_none(tools: Tools, cache: Path) -> None:
    (cache / "bin").mkdir(parents=True)
    for name in ("kind", "kubectl"):
        (tools.programs / name).rename(cache / "bin" / name)
    with kind_cluster() as cluster:
        assert cluster.kubectl_bin == cache / "bin/kubectl"


def test_controllers_are_off_by_configuration(tools: Tools, cache: Path) -> None:
    off = ("replicaset-controller", "horizontal-pod-autoscaler-controller")
    with kind_cluster(controllers_off=off, flags={"node-monitor-grace-period": "24h"}):
        config = yaml.safe_load((cache / "clusters/lockstep/config.yaml").read_text())
    (patch,) = config["kubeadmConfigPatches"]
    assert yaml.safe_load(patch) == {
        "kind": "ClusterConfiguration",
        "etcd": {"local": {"extraArgs": {"unsafe-no-fsync": "true"}}},
        "controllerManager": {
            "extraArgs": {
                "node-monitor-grace-period": "24h",
                "controllers": "*,bootstrap-signer-controller,token-cleaner-controller,-replicaset-controller,"
                "-horizontal-pod-autoscaler-controller",
            }
        },
    }


def test_a_node_of_ours_is_marked(tools: Tools, cache: Path) -> None:
    with kind_cluster():
        config = yaml.safe_load((cache / "clusters/lockstep/config.yaml").read_text())
    (patch,) = config["kubeadmConfigPatches"]
    assert set(yaml.safe_load(patch)) == {"kind", "etcd"}
    (mount,) = config["nodes"][0]["extraMounts"]
    assert mount == {"hostPath": str(cache / "clusters/lockstep/mark"), "containerPath": MARK, "readOnly": True}


def test_what_an_earlier_run_left_is_replaced(tools: Tools) -> None:
    tools.add_cluster("lockstep", "ours")
    with kind_cluster():
        verbs = [call.split()[1] for call in tools.calls("kind") if " get " not in call]
        assert verbs == ["delete", "create"]


def test_a_cluster_of_another_owner_is_left_alone(tools: Tools) -> None:
    tools.add_cluster("lockstep", "")
    with pytest.raises(KindFailed, match=r"'lockstep' that Lockstep did not make.*kind delete cluster --name lockstep"):
        kind_cluster().__enter__()
    assert tools.clusters() == ["lockstep"]
    assert tools.calls("kind") == []


def test_a_cluster_in_use_is_left_alone(tools: Tools) -> None:
    with kind_cluster():
        with pytest.raises(KindFailed, match=rf"in use by process {os.getpid()}; .*--kind-cluster-name"):
            kind_cluster().__enter__()
        with kind_cluster(KindOptions(name="other")):
            assert tools.clusters() == ["lockstep", "other"]
        assert tools.clusters() == ["lockstep"]


def test_keep_leaves_it_and_takes_it_over_if_it_is_alike(tools: Tools) -> None:
    for controllers_off, created in (((), 1), ((), 1), (("replicaset-controller",), 2)):
        with kind_cluster(_KEPT, controllers_off=controllers_off):
            pass
        assert tools.clusters() == ["lockstep"]
        assert len(tools.calls("kind create")) == created


def test_an_error_in_the_block_deletes_it(tools: Tools) -> None:
    for stop in (KeyboardInterrupt, ValueError):
        with pytest.raises(stop), kind_cluster():
            raise stop
        assert tools.clusters() == []


def test_kind_fails_in_one_line_with_what_it_said(tools: Tools) -> None:
    tools.break_("kind create", 'ERROR: failed to pull image "kindest/node:v1.36.1"')
    with pytest.raises(
        KindFailed, match=r"'lockstep' did not start: ERROR: failed to pull image .*--kind-image kindest/node:v"
    ):
        kind_cluster(_KEPT).__enter__()
    assert len(tools.calls("kind delete")) == 1


def test_a_node_that_never_gets_ready_is_reported_and_deleted(tools: Tools) -> None:
    tools.break_("kubectl", "error: timed out waiting for the condition on nodes/lockstep-control-plane")
    with pytest.raises(KindFailed, match=r"waiting for the kind cluster 'lockstep' failed: .* said: error: timed out"):
        kind_cluster().__enter__()
    assert tools.clusters() == []


def test_a_cluster_that_cannot_be_deleted_is_reported(tools: Tools) -> None:
    manager = kind_cluster()
    manager.__enter__()
    tools.break_("kind delete", "ERROR: permission denied")
    with pytest.raises(KindFailed, match=r"be deleted: .*permission denied.*kind delete cluster --name lockstep"):
        manager.__exit__(None, None, None)


def test_a_missing_program_is_named(tools: Tools) -> None:
    for program, expected in (
        ("kubectl", r"no `kubectl` on PATH, .*install it.*--kind-kubectl-bin"),
        ("kind", r"no `kind` on PATH, .*install it.*--kind-bin"),
        ("docker", r"no `docker` on PATH, which kind clusters run in: install Docker"),
    ):
        tools.remove(program)
        with pytest.raises(KindFailed, match=expected):
            kind_cluster().__enter__()
    with pytest.raises(KindFailed, match=r"no `docker` on PATH"):
        kind_cluster(KindOptions(kind_bin=Path("nowhere"))).__enter__()


def test_a_program_that_was_named_must_be_there(tools: Tools) -> None:
    with pytest.raises(KindFailed, match=r"--kind-bin nowhere/kind: there is no such file"):
        kind_cluster(KindOptions(kind_bin=Path("nowhere/kind"))).__enter__()
    assert tools.calls("kind") == []


def test_a_daemon_that_is_not_there_is_named(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    tools.break_("docker version", "Cannot connect to the Docker daemon")
    with pytest.raises(KindFailed, match=r"no docker daemon answers at its usual place: start one"):
        kind_cluster().__enter__()
    monkeypatch.setenv("DOCKER_HOST", "tcp://10.0.0.1:2375")
    with pytest.raises(KindFailed, match=r"no docker daemon answers at tcp://10.0.0.1:2375: .*Cannot connect"):
        kind_cluster().__enter__()


def test_a_daemon_elsewhere_cannot_reach_servers_of_ours(tools: Tools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_GATEWAY", "192.0.2.1")
    with (
        kind_cluster() as cluster,
        pytest.raises(KindFailed, match=r"its gateway '192\.0\.2\.1' is not an address of this machine"),
    ):
        _ = cluster.host_address


_OWNER = """
import sys, time
from lockstep.clusters.kind.cluster import kind_cluster
from lockstep.environments.options import KindOptions
with kind_cluster():
    print("up", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_killed_leaves_no_cluster(tools: Tools, number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _OWNER],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=hear_interrupts,  # noqa: PLW1509 - no locks are taken in it
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"up\n"
        assert tools.clusters() == ["lockstep"]
        run.send_signal(number)
        run.wait()
    until(lambda: tools.clusters() == [], "no cluster")


def test_a_run_that_is_killed_while_kind_works_leaves_nothing_running(
    tools: Tools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_KIND_TAKES", "60")
    with subprocess.Popen([sys.executable, "-c", _OWNER], stderr=subprocess.DEVNULL) as run:
        until(lambda: tools.clusters() == ["lockstep"], "a cluster")
        run.kill()
    until(lambda: tools.clusters() == [], "no cluster")
    monkeypatch.setenv("FAKE_KIND_TAKES", "0")
    with kind_cluster():
        assert tools.clusters() == ["lockstep"]
