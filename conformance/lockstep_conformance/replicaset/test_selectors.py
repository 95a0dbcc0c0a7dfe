"""Selectors: which pods belong to a ReplicaSet, and which of those carry all labels of its template.

A label selector is the conjunction of its matchLabels and its matchExpressions. It may be broader than the template's
labels; status.fullyLabeledReplicas counts the pods that have all of the latter.
"""

from __future__ import annotations

from lockstep import Cluster, objects, scenario
from lockstep.scenarios.cluster import controller_name

_SELECTOR = "apimachinery/pkg/apis/meta/v1/helpers.go: LabelSelectorAsSelector"
_STATUS = "pkg/controller/replicaset/replica_set_utils.go: calculateStatus"


@scenario(
    "replicaset/selects-by-every-operator",
    must="A pod MUST belong to a ReplicaSet exactly if it satisfies matchLabels and every one of its In, NotIn, Exists "
    "and DoesNotExist expressions; a pod without the key satisfies NotIn.",
    source=_SELECTOR,
    features=("selectors", "adoption"),
)
async def test_selects_by_every_operator(cluster: Cluster) -> None:
    fits = {"app": "web", "tier": "front", "track": "stable", "owned-by": "me"}
    selector = {
        "matchLabels": {"app": "web"},
        "matchExpressions": [
            {"key": "tier", "operator": "In", "values": ["front", "edge"]},
            {"key": "track", "operator": "NotIn", "values": ["canary", "test"]},
            {"key": "owned-by", "operator": "Exists"},
            {"key": "legacy", "operator": "DoesNotExist"},
        ],
    }
    candidates = {
        "fits": fits,
        "fits-in-second": {**fits, "tier": "edge"},
        "fits-empty-value": {**fits, "owned-by": ""},
        "fits-without-notin": {key: value for key, value in fits.items() if key != "track"},
        "wrong-label": {**fits, "app": "api"},
        "wrong-in": {**fits, "tier": "back"},
        "without-in": {key: value for key, value in fits.items() if key != "tier"},
        "wrong-notin": {**fits, "track": "test"},
        "without-exists": {key: value for key, value in fits.items() if key != "owned-by"},
        "wrong-absent": {**fits, "legacy": ""},
        "unlabelled": {},
    }
    for name, labels in candidates.items():
        await cluster.create(objects.pod(name, labels))
    await cluster.create(objects.replica_set("web", 5, labels=fits, selector=selector))
    adopted = sorted(write.name for write in cluster.writes("patch", "pods", 200))
    cluster.expect("adopted", adopted, sorted(name for name in candidates if name.startswith("fits")))
    cluster.expect("pods created", len(cluster.writes("create", "pods", 201)), 1)
    await cluster.settle()
    cluster.expect("status.replicas", cluster.status()["replicas"], 5)


@scenario(
    "replicaset/broad-selector-counts-fully-labelled-apart",
    must="Pods that the selector matches but that lack labels of the template MUST count in status.replicas and not in "
    "status.fullyLabeledReplicas.",
    source=_STATUS,
    features=("selectors", "status"),
)
async def test_broad_selector_counts_fully_labelled_apart(cluster: Cluster) -> None:
    await cluster.create(objects.pod("bare", {"app": "web"}))
    await cluster.create(objects.pod("other-version", {"app": "web", "version": "1"}))
    await cluster.create(objects.pod("with-more", {"app": "web", "version": "2", "extra": "yes"}))
    template = objects.pod_template({"app": "web", "version": "2"})
    await cluster.create(objects.replica_set("web", 5, template=template))
    await cluster.settle()
    cluster.expect("pods created", len(cluster.writes("create", "pods", 201)), 2)
    status = cluster.status()
    counts = [status[field] for field in ("replicas", "fullyLabeledReplicas", "readyReplicas")]
    cluster.expect("replicas, fully labelled, ready", counts, [5, 3, 5])


@scenario(
    "replicaset/relabelling-inside-the-selector",
    must="A pod that loses a label of the template but stays within the selector MUST be kept; only "
    "status.fullyLabeledReplicas changes.",
    source=_STATUS,
    features=("selectors", "status", "release"),
)
async def test_relabelling_inside_the_selector(cluster: Cluster) -> None:
    template = objects.pod_template({"app": "web", "version": "2"})
    await cluster.create(objects.replica_set("web", 2, template=template))
    await cluster.run_until(60)
    name = cluster.kubelet.pick(cluster.pods("web"))["metadata"]["name"]
    before = len(cluster.writes())
    await cluster.patch("pods", name, {"metadata": {"labels": {"version": None}}})
    await cluster.run(60)
    done = [(one.verb, one.resource, one.subresource, cluster.at(one)) for one in cluster.writes()[before:]]
    cluster.expect("what was done", done, [("update", "replicasets.apps", "status", 60.0)])
    counts = [cluster.status()[field] for field in ("replicas", "fullyLabeledReplicas")]
    cluster.expect("replicas, fully labelled", counts, [2, 1])
    cluster.expect("its owner", controller_name(cluster.get("pods", name)), "web")
