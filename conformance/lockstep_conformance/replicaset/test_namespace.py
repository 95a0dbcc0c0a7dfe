"""A namespace that is being deleted: whatever a controller creates there is refused, and it need not mind."""

from __future__ import annotations

from lockstep import Cluster, Options, objects, scenario

_CREATE = "pkg/controller/replicaset/replica_set.go: manageReplicas"
_EVENT = "pkg/controller/controller_utils.go: createPods"
_NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}


@scenario(
    "replicaset/creates-refused-by-dying-namespace",
    must="Creates that are refused because the namespace is terminating MUST count as successes: no batch stops, no "
    "event tells of them, and nothing is tried again before the expectations expire after five minutes.",
    source=(_CREATE, _EVENT),
    features=("namespaces", "slow-start", "expectations", "events"),
)
async def test_creates_refused_by_dying_namespace(cluster: Cluster) -> None:
    await cluster.create(_NAMESPACE)
    keeper = {"namespace": "team", "finalizers": ["example.com/keep"]}
    await cluster.create(objects.pod("keeper", metadata=keeper))
    cluster.faults.latency(5, verb="create", resource="pods")
    await cluster.create(objects.replica_set("web", 7, metadata={"namespace": "team"}))
    await cluster.run_until(2)
    cluster.network.hold("replicasets.apps")
    await cluster.delete("namespaces", "team")
    await cluster.run_until(300)
    creates = [(one.code, cluster.at(one)) for one in cluster.writes("create", "pods")]
    times = [5.0] + [10.0] * 2 + [15.0] * 4
    cluster.expect("the creates", creates, [(403, time) for time in times])
    causes = [one.message.endswith("because it is being terminated") for one in cluster.writes("create", "pods")]
    cluster.expect("the cause is told", causes, [True] * 7)
    cluster.expect("events", cluster.writes("create", "events"), [])
    cluster.network.release("replicasets.apps")
    await cluster.run(1800)
    cluster.expect("requests for pods", len(cluster.writes("create", "pods")), 7)
    await cluster.patch("pods", "keeper", {"metadata": {"finalizers": None}}, namespace="team")
    await cluster.settle()
    cluster.expect("the namespace", cluster.find("namespaces", "team", ""), None)


@scenario(
    "replicaset/forbidden-create-is-a-failure-elsewhere",
    must="A create that is refused with 403 for any other reason MUST be a failure: the batch is the last, an event "
    "tells of it, and it is tried again.",
    source=(_CREATE, _EVENT),
    features=("slow-start", "events", "back-off"),
)
async def test_forbidden_create_is_a_failure_elsewhere(cluster: Cluster) -> None:
    refusal = 'pods is forbidden: User "system:serviceaccount:kube-system:replicaset-controller" cannot create'
    cluster.faults.error(403, message=refusal, verb="create", resource="pods", skip=1, times=2)
    await cluster.create(objects.replica_set("web", 7))
    await cluster.run(1)
    codes = [one.code for one in cluster.writes("create", "pods")]
    cluster.expect("answers to the first creates", codes[:3], [201, 403, 403])
    failures = [one for one in cluster.writes("create", "events") if one.body["reason"] == "FailedCreate"]
    cluster.expect("failure events", {one.body["message"] for one in failures}, {f"Error creating: {refusal}"})
    cluster.expect("pods of web", len(cluster.pods("web")), 7)


@scenario(
    "replicaset/dying-namespace-is-not-refilled",
    must="When its namespace is deleted with all that is in it, a ReplicaSet MUST NOT get new pods there, and those of "
    "its name elsewhere MUST NOT be touched.",
    source=_CREATE,
    features=("namespaces", "deletion"),
    options=Options(workers=1),
    virtual="needs a namespace that dies slowly",
)
async def test_dying_namespace_is_not_refilled(cluster: Cluster) -> None:
    await cluster.create(_NAMESPACE)
    for namespace in ("default", "team"):
        await cluster.create(objects.replica_set("web", 2, metadata={"namespace": namespace}))
    await cluster.settle()
    await cluster.delete("namespaces", "team")
    await cluster.settle()
    cluster.expect("the namespace", cluster.find("namespaces", "team", ""), None)
    cluster.expect("pods created", len(cluster.writes("create", "pods", 201)), 4)
    cluster.expect("pods in default", len(cluster.pods("web")), 2)
    deletes = cluster.writes("delete", "pods")
    cluster.expect("pods deleted by the controller", deletes, [])
