"""DaemonSets, Jobs, CronJobs, ReplicaSets and ReplicationControllers that a scenario has managed."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lockstep import objects
from lockstep.apiserver import Request
from lockstep.wire.meta import controller_of
from lockstep.world import InTurn, Lifecycle
from lockstep.world.owners import cron
from tests.world.kit import Object, Town, is_ready, phase, play

APPS, BATCH, CORE = (f"/{root}/namespaces/default" for root in ("apis/apps/v1", "apis/batch/v1", "api/v1"))


def conditions(one: Object) -> list[str]:
    return [found["type"] for found in one["status"].get("conditions", ())]


def live_pods(town: Town) -> list[Object]:
    return [pod for pod in town.pods() if "deletionTimestamp" not in pod["metadata"]]


@pytest.mark.parametrize(
    ("path", "made"),
    [
        (f"{APPS}/replicasets", objects.replica_set("web", 3, min_ready_seconds=5)),
        (f"{CORE}/replicationcontrollers", objects.replication_controller("web", 3)),
    ],
)
def test_replicated_pods(path: str, made: Object) -> None:
    async def body(town: Town) -> None:
        town.world.owners.manage(path.rpartition("/")[2])
        town.send("POST", path, made)
        await town.sleep(3)
        status = town.send("GET", f"{path}/web")["status"]
        available = 0 if "minReadySeconds" in made["spec"] else 3
        assert (status["replicas"], status["readyReplicas"], status.get("availableReplicas", 0)) == (3, 3, available)
        town.delete(town.pods()[0])
        await town.sleep(20)
        status = town.send("GET", f"{path}/web")["status"]
        assert (len(town.pods()), status["availableReplicas"], status["fullyLabeledReplicas"]) == (3, 3, 3)
        town.send("PATCH", f"{path}/web", {"spec": {"replicas": 1}}, "application/merge-patch+json")
        await town.rest()
        assert len(town.pods()) == 1
        assert [controller_of(pod)["name"] for pod in town.pods()] == ["web"]  # type: ignore[index]

    play(body)


def test_what_controllers_under_test_act_for_is_not_managed() -> None:
    async def body(town: Town) -> None:
        town.world.owners.under_test = frozenset({"ReplicaSet"})
        with pytest.raises(ValueError, match="a controller under test acts for them already"):
            town.world.owners.manage("replicasets")

    play(body)


def test_a_daemon_set_has_a_pod_on_each_node() -> None:
    async def body(town: Town) -> None:
        town.world.owners.manage("daemonsets")
        town.send("POST", f"{APPS}/daemonsets", objects.daemon_set())
        await town.rest()
        assert sorted(pod["spec"]["nodeName"] for pod in town.pods()) == ["node-1", "node-2", "node-3"]
        status = town.send("GET", f"{APPS}/daemonsets/web")["status"]
        assert (status["desiredNumberScheduled"], status["numberReady"], status["numberAvailable"]) == (3, 3, 3)
        town.delete(town.pods()[1])
        town.send("PATCH", "/api/v1/nodes/node-3", {"spec": {"unschedulable": True}}, "application/merge-patch+json")
        await town.rest()
        assert sorted(pod["spec"]["nodeName"] for pod in town.pods()) == ["node-1", "node-2"]
        assert town.send("GET", f"{APPS}/daemonsets/web")["status"]["desiredNumberScheduled"] == 2

    play(body)


def test_a_daemon_set_rolls_one_pod_at_a_time() -> None:
    async def body(town: Town) -> None:
        town.world.owners.manage("daemonsets")
        town.send("POST", f"{APPS}/daemonsets", objects.daemon_set())
        await town.rest()
        old = {pod["metadata"]["uid"] for pod in town.pods()}
        changed = objects.daemon_set(template=objects.pod_template({"app": "web"}, containers=[objects.container("b")]))
        town.send("PATCH", f"{APPS}/daemonsets/web", {"spec": changed["spec"]}, "application/merge-patch+json")
        least = 3
        while town.world.pending():
            await town.sleep(0.5)
            least = min(least, sum(is_ready(pod) for pod in live_pods(town)))
        assert least == 2
        assert not old & {pod["metadata"]["uid"] for pod in town.pods()}
        assert town.send("GET", f"{APPS}/daemonsets/web")["status"]["updatedNumberScheduled"] == 3

    play(body)


def test_a_job_runs_so_many_pods_to_their_ends() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle(succeeds_after=10)
        town.world.owners.manage("jobs")
        made = town.send("POST", f"{BATCH}/jobs", objects.job("web", 3, parallelism=2))
        uid = made["metadata"]["uid"]
        assert made["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
        await town.sleep(5)
        assert len(town.pods()) == 2
        assert town.pods()[0]["metadata"]["labels"]["job-name"] == "web"
        await town.rest()
        status = town.send("GET", f"{BATCH}/jobs/web")["status"]
        assert (status["succeeded"], status.get("active", 0), status["completionTime"]) == (
            3,
            0,
            "2000-01-01T00:00:20Z",
        )
        assert conditions({"status": status}) == ["SuccessCriteriaMet", "Complete"]

    play(body)


def test_a_job_backs_off_and_gives_up() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle(fails_after=2)
        town.world.owners.manage("jobs")
        town.send("POST", f"{BATCH}/jobs", objects.job("web", backoffLimit=2))
        await town.sleep(200)
        born = sorted(pod["metadata"]["creationTimestamp"][-4:-1] for pod in town.pods())
        assert born == [":00", ":12", ":34"]  # 10 s, then 20 s after the last one ended
        status = town.send("GET", f"{BATCH}/jobs/web")["status"]
        assert (status["failed"], conditions({"status": status})) == (3, ["FailureTarget", "Failed"])

    play(body)


def test_jobs_that_cannot_be() -> None:
    async def body(town: Town) -> None:
        always = objects.job(template=objects.pod_template({"app": "web"}))
        reply = town.server.handle(Request("POST", f"{BATCH}/jobs", body=always))
        assert reply.status == 422
        assert reply.body is not None
        assert 'restartPolicy: Required value: valid values: "OnFailure", "Never"' in reply.body["message"]

    play(body)


@pytest.mark.parametrize(
    ("policy", "running", "minutes"),
    [("Allow", 2, [30, 90]), ("Forbid", 1, [30]), ("Replace", 1, [90])],
)
def test_a_cron_job_starts_jobs(policy: str, running: int, minutes: list[int]) -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = Lifecycle()
        town.world.owners.manage("cronjobs")
        town.send("POST", f"{BATCH}/cronjobs", objects.cron_job("web", "30 * * * *", concurrencyPolicy=policy))
        await town.sleep(1799)
        assert town.pods() == []
        await town.sleep(3600 + 100)
        found = [job["metadata"]["name"] for job in town.server.objects("jobs.batch")]
        assert found == [f"web-{15778080 + minute}" for minute in minutes]  # since the Unix epoch
        assert sum(phase(pod) == "Running" for pod in live_pods(town)) == running

    play(body)


def test_finished_jobs_are_kept_in_small_numbers() -> None:
    async def body(town: Town) -> None:
        town.kubelet.lifecycles.default = InTurn(*[Lifecycle(succeeds_after=5)] * 3)
        town.world.owners.manage("cronjobs")
        made = objects.cron_job("web", "@hourly", successfulJobsHistoryLimit=2)
        town.send("POST", f"{BATCH}/cronjobs", made)
        await town.sleep(5 * 3600 + 60)
        assert len(town.server.objects("jobs.batch")) == 2
        status = town.send("GET", f"{BATCH}/cronjobs/web")["status"]
        assert (status["lastScheduleTime"], status["lastSuccessfulTime"]) == (
            "2000-01-01T05:00:00Z",
            "2000-01-01T05:00:05Z",
        )
        await town.rest()
        assert len(town.pods()) == 2  # the others went with their jobs

    play(body)


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("*/20 3 * * *", ["01-01 03:00", "01-01 03:20", "01-01 03:40", "01-02 03:00"]),
        ("15,45 0-1 1 * *", ["01-01 00:15", "01-01 00:45", "01-01 01:15", "01-01 01:45", "02-01 00:15"]),
        ("0 0 * * mon", ["01-03 00:00", "01-10 00:00"]),  # the first of January 2000 is a Saturday
        ("0 12 13 * fri", ["01-07 12:00", "01-13 12:00", "01-14 12:00"]),
        ("@monthly", ["02-01 00:00", "03-01 00:00"]),
        ("0 0 29 feb *", ["02-29 00:00"]),
        ("10/25 0 1 1 *", ["01-01 00:10", "01-01 00:35"]),
    ],
)
def test_schedules(text: str, times: list[str]) -> None:
    schedule, at = cron.parse(text), datetime(2000, 1, 1, tzinfo=UTC)
    for wanted in times:
        found = schedule.after(at)
        assert found is not None
        assert found.strftime("%m-%d %H:%M") == wanted
        at = found


@pytest.mark.parametrize("text", ["", "* * * *", "60 * * * *", "a * * * *", "* * * * 7", "*/0 * * * *", "5-2 * * * *"])
def test_schedules_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match="is no cron schedule"):
        cron.parse(text)


def test_a_schedule_that_never_fires() -> None:
    assert cron.parse("0 0 30 2 *").after(datetime(2000, 1, 1, tzinfo=UTC)) is None
