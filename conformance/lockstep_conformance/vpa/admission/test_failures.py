"""Trouble: webhooks that are slow, gone or mistaken, and the Lease by which the updater sees that they are there."""

from __future__ import annotations

import json
from itertools import pairwise

from lockstep import AdmissionOptions, Cluster, Options, VpaOptions, objects, scenario
from lockstep_conformance.vpa.admission.steps import (
    ADMISSION,
    REGISTERED,
    container,
    prepare,
    refusal,
    resources_of,
    workload,
)

_REGISTRATION = "pkg/admission-controller/config.go: selfRegistration"
_SERVER = "pkg/admission-controller/logic/server.go: Serve"
_STATUS = "pkg/utils/status/status_object.go: UpdateStatus"
_LEASES = "leases.coordination.k8s.io"
_CONFIGURATIONS = "mutatingwebhookconfigurations.admissionregistration.k8s.io"
_TARGET = objects.recommended(target={"cpu": "250m"})
_FAIL = Options(vpa=VpaOptions(admission=AdmissionOptions(webhook_failure_policy_fail=True)))


def _asking() -> objects.Object:
    return container(requests={"cpu": "100m"})


def _cpus(cluster: Cluster) -> list[str]:
    return sorted(str(resources_of(pod)[0]["requests"]["cpu"]) for pod in cluster.pods("web"))


@scenario(
    "vpa-admission/registers-after-ten-seconds",
    must="The webhook MUST be registered ten seconds after the start, for new pods and for VPAs that come or change.",
    source=_REGISTRATION,
    controllers=ADMISSION,
    autostart=False,
    virtual="looks half a second before and after a timer that starts with the controller",
)
async def test_registers_after_ten_seconds(cluster: Cluster) -> None:
    await cluster.start()
    await cluster.run(9.5)
    cluster.expect("before", cluster.list(_CONFIGURATIONS, None), [])
    await cluster.run(1)
    (configuration,) = cluster.list(_CONFIGURATIONS, None)
    (webhook,) = configuration["webhooks"]
    told = (webhook["failurePolicy"], webhook["timeoutSeconds"], webhook["clientConfig"]["service"]["name"])
    cluster.expect("webhook", told, ("Ignore", 30, "vpa-webhook"))
    rules = [(rule["operations"], rule["resources"]) for rule in webhook["rules"]]
    wanted = [(["CREATE"], ["pods"]), (["CREATE", "UPDATE"], ["verticalpodautoscalers"])]
    cluster.expect("rules", rules, wanted)


@scenario(
    "vpa-admission/a-restart-registers-anew",
    must="After a restart the old configuration MUST be deleted and a new one made; in between pods MUST stay as they "
    "are, since nobody answers.",
    source=_REGISTRATION,
    controllers=ADMISSION,
)
async def test_a_restart_registers_anew(cluster: Cluster) -> None:
    await prepare(cluster, objects.vpa(), _TARGET)
    before = cluster.get(_CONFIGURATIONS, "vpa-webhook-config", "")["metadata"]["uid"]
    await cluster.crash("vpa-admission")
    await workload(cluster, _asking())
    cluster.expect("while it is down", _cpus(cluster), ["100m"])
    await cluster.start("vpa-admission")
    await cluster.run(11)
    await cluster.scale("web", 2)
    await cluster.run(1)
    cluster.expect("afterwards", _cpus(cluster), ["100m", "250m"])
    after = cluster.get(_CONFIGURATIONS, "vpa-webhook-config", "")["metadata"]["uid"]
    cluster.expect_true("another configuration", before != after)


@scenario(
    "vpa-admission/a-slow-webhook-is-ignored",
    must="A pod whose review takes longer than the webhook's 30 s MUST be created unchanged, while the Lease says that "
    "all is well.",
    source=_REGISTRATION,
    issues="kubernetes/autoscaler#6884",
    controllers=ADMISSION,
)
async def test_a_slow_webhook_is_ignored(cluster: Cluster) -> None:
    await prepare(cluster, objects.vpa(), _TARGET)
    cluster.faults.latency(45.0, verb="call", resource="webhooks")
    made = objects.replica_set("web", replicas=1)
    made["spec"]["template"]["spec"]["containers"] = [_asking()]
    await cluster.create(made)
    await cluster.run(29)
    cluster.expect("while one waits", len(cluster.pods("web")), 0)
    await cluster.run(2)
    cluster.expect("afterwards", _cpus(cluster), ["100m"])
    renewed = cluster.get(_LEASES, "vpa-admission-controller", "kube-system")["spec"]["renewTime"]
    cluster.expect_true("lease is fresh", renewed >= "2000-01-01T00:00:40")


@scenario(
    "vpa-admission/failure-policy-fail",
    must="With --webhook-failure-policy-fail a pod MUST NOT be created while the webhook cannot be reached.",
    source=_REGISTRATION,
    controllers=ADMISSION,
    options=_FAIL,
)
async def test_failure_policy_fail(cluster: Cluster) -> None:
    await prepare(cluster, objects.vpa(), _TARGET)
    await cluster.crash("vpa-admission")
    alone = objects.pod("alone")
    code, message = await refusal(cluster, alone)
    cluster.expect("code", code, 500)
    cluster.expect_true("told", 'failed calling webhook "vpa.k8s.io"' in message)


@scenario(
    "vpa-admission/the-lease-is-renewed",
    must="The Lease MUST be made ten seconds after the registration and renewed every ten seconds.",
    source=(_STATUS, "pkg/utils/status/status_updater.go: Run"),
    controllers=ADMISSION,
    autostart=False,
)
async def test_the_lease_is_renewed(cluster: Cluster) -> None:
    await cluster.start()
    await cluster.run(60)
    leases = [write for write in cluster.writes() if write.resource == _LEASES]
    cluster.expect("verbs", [write.verb for write in leases], ["create", "update", "update", "update"])
    apart = {round(cluster.at(later) - cluster.at(earlier), 3) for earlier, later in pairwise(leases)}
    cluster.expect("apart", apart, {10.0})
    spec = cluster.get(_LEASES, "vpa-admission-controller", "kube-system")["spec"]
    cluster.expect("holder", (spec["holderIdentity"], spec["leaseDurationSeconds"]), ("vpa-admission-controller", 10))


@scenario(
    "vpa-admission/lease-errors-are-retried",
    must="A renewal that the server fails MUST be tried again after 100 ms and 300 ms; a refusal MUST be left alone "
    "until the next renewal.",
    source=f"{_STATUS} retryWithExponentialBackOff",
    controllers=ADMISSION,
)
async def test_lease_errors_are_retried(cluster: Cluster) -> None:
    await cluster.run_until(25)
    cluster.faults.error(500, verb="update", resource=_LEASES, times=2)
    await cluster.run(10)
    cluster.faults.error(403, verb="update", resource=_LEASES)
    await cluster.run(10)
    writes = [(write.code, cluster.at(write)) for write in cluster.writes(resource=_LEASES) if write.verb == "update"]
    codes = [code for code, _ in writes]
    cluster.expect("codes", codes, [500, 500, 200, 403])
    first = writes[0][1]
    cluster.expect("instants", [round(at - first, 3) for _, at in writes], [0.0, 0.1, 0.4, 10.0])


@scenario(
    "vpa-admission/a-lease-that-somebody-else-changed",
    must="A conflict on the Lease means that another replica renews it, and MUST NOT be an error or be retried.",
    source=_STATUS,
    controllers=ADMISSION,
)
async def test_a_lease_that_somebody_else_changed(cluster: Cluster) -> None:
    await cluster.run_until(25)
    cluster.faults.error(409, verb="update", resource=_LEASES)
    await cluster.run(10)
    codes = [write.code for write in cluster.writes(resource=_LEASES) if write.verb == "update"]
    cluster.expect("codes", codes, [409])


@scenario(
    "vpa-admission/nonsense-is-let-through",
    must="A request that is no JSON MUST be answered with `allowed`, one of another content type with nothing, and one "
    "about another resource with `allowed` and no patch.",
    source=_SERVER,
    controllers=ADMISSION,
)
async def test_nonsense_is_let_through(cluster: Cluster) -> None:
    await cluster.run_until(REGISTERED)
    place = ("kube-system", "vpa-webhook")
    status, body = await cluster.call_webhook(*place, b"nonsense")
    cluster.expect("no JSON", (status, json.loads(body)["response"]), (200, {"uid": "", "allowed": True}))
    status, body = await cluster.call_webhook(*place, b"{}", "text/plain")
    cluster.expect("no JSON by its header", (status, body), (200, b""))
    request = {"uid": "1", "resource": {"group": "apps", "version": "v1", "resource": "deployments"}}
    request["requestKind"] = {"group": "apps", "version": "v1", "kind": "Deployment"}
    status, body = await cluster.call_webhook(*place, json.dumps({"request": request}).encode())
    cluster.expect("another resource", (status, json.loads(body)["response"]), (200, {"uid": "1", "allowed": True}))


@scenario(
    "vpa-admission/a-review-without-a-request",
    must="A review without a request makes upstream panic: the caller MUST lose its connection, and the next MUST be "
    "served.",
    source="pkg/admission-controller/logic/server.go: admit",
    controllers=ADMISSION,
)
async def test_a_review_without_a_request(cluster: Cluster) -> None:
    await cluster.run_until(REGISTERED)
    status, _ = await cluster.call_webhook("kube-system", "vpa-webhook", b"{}")
    cluster.expect("cut off", status, 0)
    status, _ = await cluster.call_webhook("kube-system", "vpa-webhook", b"nonsense")
    cluster.expect("served", status, 200)
