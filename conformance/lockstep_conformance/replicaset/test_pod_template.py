"""Pods from the template: what a created pod takes from its ReplicaSet, and what it does not.

It takes the template's labels, annotations, finalizers and spec as they are when it is created, the ReplicaSet's name
as the prefix of its own, and one owner reference. Pods that exist already are never brought into line.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario

_TEMPLATE = "pkg/controller/controller_utils.go: GetPodFromTemplate"
_PREFIX = "pkg/controller/controller_utils.go: getPodsPrefix"
_KEEP = {"finalizers": ["example.com/keep"]}


@scenario(
    "replicaset/pod-is-made-from-the-template",
    must="A created pod MUST carry the template's labels, annotations, finalizers and spec, a name generated from the "
    "ReplicaSet's, and one complete controller reference, and nothing else.",
    source=_TEMPLATE,
    features=("template",),
    virtual="names a priority, which admission of a real cluster refuses",
)
async def test_pod_is_made_from_the_template(cluster: Cluster) -> None:
    labels = {**objects.labels_of("web"), "tier": "front"}
    annotations = {"example.com/note": "from the template"}
    template = objects.pod_template(
        labels,
        metadata={"annotations": annotations, **_KEEP, "name": "ignored"},
        containers=[objects.container("main", args=["--flag"]), objects.container("side")],
        nodeSelector={"disk": "fast"},
        priority=7,
        terminationGracePeriodSeconds=5,
    )
    mine = {"annotations": {"example.com/mine": "stays"}, "labels": {"mine": "stays"}}
    web = await cluster.create(objects.replica_set("web", 1, template=template, metadata=mine))
    sent = cluster.writes("create", "pods")[0].body
    wanted = {
        "generateName": "web-",
        "labels": labels,
        "annotations": annotations,
        "finalizers": ["example.com/keep"],
        "ownerReferences": [objects.controller_reference(web)],
    }
    metadata = {field: value for field, value in sent["metadata"].items() if value is not None}
    cluster.expect("metadata sent", metadata, wanted)
    cluster.expect("spec sent", sent["spec"], web["spec"]["template"]["spec"])
    stored = cluster.list("pods")[0]
    cluster.expect("prefix of its name", stored["metadata"]["name"][:4], "web-")
    cluster.expect("length of its name", len(stored["metadata"]["name"]), 9)
    for field in ("labels", "annotations", "finalizers", "ownerReferences"):
        cluster.expect(f"{field} stored", stored["metadata"][field], wanted[field])


@scenario(
    "replicaset/pod-names-from-long-names",
    must="The prefix of a pod's name MUST be the whole name of the ReplicaSet and a dash, however long; the API server "
    "cuts it to 58 characters.",
    source=(_PREFIX, "apiserver/pkg/storage/names/generate.go"),
    features=("template", "names"),
    virtual="names the requests of one instant in their order",
)
async def test_pod_names_from_long_names(cluster: Cluster) -> None:
    lengths = (1, 57, 58, 63, 253)
    for length in lengths:
        name = ("web.v1-" * 40)[: length - 1] + "z"
        await cluster.create(objects.replica_set(name, 1, labels={"app": str(length)}))
    prefixes = [len(one.body["metadata"]["generateName"]) for one in cluster.writes("create", "pods", 201)]
    cluster.expect("lengths of the prefixes", prefixes, [length + 1 for length in lengths])
    names = [one.name for one in cluster.writes("create", "pods", 201)]
    cluster.expect("lengths of the names", [len(name) for name in names], [7, 63, 63, 63, 63])
    cluster.expect("dashes before the suffix", [name[:-5].endswith("-") for name in names][:3], [True, True, False])
    await cluster.settle()
    ready = [one["status"]["readyReplicas"] for one in cluster.list("replicasets.apps")]
    cluster.expect("ready replicas", ready, [1] * len(lengths))


@scenario(
    "replicaset/template-change-leaves-pods-alone",
    must="A change of the template MUST NOT touch existing pods; only pods that are created later follow it.",
    source="pkg/controller/replicaset/replica_set.go: syncReplicaSet",
    features=("template", "status"),
)
async def test_template_change_leaves_pods_alone(cluster: Cluster) -> None:
    await cluster.create(objects.replica_set("web", 2))
    await cluster.run_until(60)
    image = "registry.k8s.io/pause:3.9"
    labels = {**objects.labels_of("web"), "version": "2"}
    template = objects.pod_template(labels, containers=[{**objects.container(), "image": image}])
    await cluster.patch("replicasets.apps", "web", {"spec": {"template": template}})
    await cluster.run_until(120)
    done = [(one.verb, one.resource, cluster.at(one)) for one in cluster.writes() if cluster.at(one) > 30]
    cluster.expect("what was done", done, [("update", "replicasets.apps", 60.0)])
    status = [cluster.status()[field] for field in ("replicas", "observedGeneration")]
    cluster.expect("replicas, generation seen", status, [2, 2])
    cluster.expect("fully labelled", cluster.status().get("fullyLabeledReplicas", 0), 0)
    await cluster.delete("pods", cluster.kubelet.pick(cluster.pods("web"))["metadata"]["name"])
    await cluster.settle()
    images = sorted(pod["spec"]["containers"][0]["image"] for pod in cluster.pods("web"))
    cluster.expect("images", images, ["registry.k8s.io/pause:3.10", image])
    cluster.expect("fully labelled afterwards", cluster.status()["fullyLabeledReplicas"], 1)


@scenario(
    "replicaset/template-finalizers-hold-deleted-pods",
    must="A pod that a finalizer from the template holds after its deletion MUST be replaced at once, and MUST count "
    "as terminating until it is gone.",
    source=(_TEMPLATE, "pkg/controller/replicaset/replica_set_utils.go: calculateStatus"),
    features=("template", "finalizers", "status"),
)
async def test_template_finalizers_hold_deleted_pods(cluster: Cluster) -> None:
    template = objects.pod_template(objects.labels_of("web"), metadata=_KEEP)
    await cluster.create(objects.replica_set("web", 2, template=template))
    await cluster.run_until(60)
    held = cluster.kubelet.pick(cluster.pods("web"))["metadata"]["name"]
    await cluster.delete("pods", held)
    created = [cluster.at(one) for one in cluster.writes("create", "pods")]
    cluster.expect("times of the creates", created, [0.0, 0.0, 60.0])
    await cluster.run_until(3600)
    cluster.expect_true("the deleted pod is still there", cluster.find("pods", held))
    counts = [cluster.status()[field] for field in ("replicas", "readyReplicas")]
    cluster.expect("replicas, ready", counts, [2, 2])
    await cluster.patch("pods", held, {"metadata": {"finalizers": None}})
    await cluster.settle()
    cluster.expect("the deleted pod", cluster.find("pods", held), None)
    cluster.expect("pods created", len(cluster.writes("create", "pods")), 3)
