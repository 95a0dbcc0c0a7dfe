"""Label and field selectors."""

from __future__ import annotations

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_LABELS = "apimachinery/pkg/labels/selector.go"
_FIELDS = "apimachinery/pkg/fields/selector.go"


def _some(api: Api) -> None:
    for name, labels in {"a": {"x": "1"}, "b": {"x": "2", "y": "1"}, "c": {"y": "2"}, "d": {}}.items():
        body = bodies.config_map(name)
        body["metadata"]["labels"] = labels
        api.prepare("POST", api.to("configmaps"), body)


@api_scenario(
    "selectors/labels", must="A label selector MUST choose by equality, sets, presence and order.", source=_LABELS
)
def labels(api: Api) -> None:
    _some(api)
    for text in (
        "x=1", "x==2", "x!=1", "x in (1,2)", "x notin (1)", "x", "!x", "x=1,y=1", "x in (1),!y", "x>1", "x<2", "",
        "x in (1, 2), y notin (1)", "x=", "x in ()", "x in (1,)", "x=1,", "nothing=here", " x = 1 ", "x notin (1,2),y",
    ):  # fmt: skip
        api.get(api.to("configmaps"), labelSelector=text)


@api_scenario(
    "selectors/bad-labels",
    must="A malformed label selector MUST be refused with 400 and the parser's words.",
    source=_LABELS,
)
def bad_labels(api: Api) -> None:
    for text in (
        "x in", "x in (", "x in 1", "=1", "x=1,,y", "x > a", "x y", "x!", "!x=1", "x=a b", "x in (a b)", "a/b/c=1",
        "x=" + "y" * 64, "x===1", ",", "x in (1))", "(x)", "!!x", "x notin", "-x=1",
    ):  # fmt: skip
        api.get(api.to("configmaps"), labelSelector=text)


@api_scenario("selectors/fields", must="Name and namespace MUST be selectable for every kind.", source=_FIELDS)
def fields(api: Api) -> None:
    _some(api)
    for text in (
        "metadata.name=a", "metadata.name==a", "metadata.name!=a", "metadata.name=", "metadata.name=a,metadata.name=b",
        f"metadata.namespace={api.namespace}", "metadata.namespace=other", "metadata.name!=a,metadata.name!=b", "",
    ):  # fmt: skip
        api.get(api.to("configmaps"), fieldSelector=text)


@api_scenario(
    "selectors/fields-of-pods",
    must="A pod's node, phase, IP and some others MUST be selectable.",
    source="pkg/registry/core/pod/strategy.go: ToSelectableFields",
)
def pod_fields(api: Api) -> None:
    api.prepare("POST", api.to("pods"), bodies.pod("a", spec={"nodeName": "node-1", "restartPolicy": "Never"}))
    api.prepare("POST", api.to("pods"), bodies.pod("b"))
    status = {"status": {"phase": "Running", "podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]}}
    api.patch(api.to("pods", "a", "status"), status)
    for text in (
        "spec.nodeName=node-1", "spec.nodeName=", "spec.nodeName!=node-1", "status.phase=Running",
        "status.phase!=Running,spec.nodeName=", "status.podIP=10.0.0.1", "spec.restartPolicy=Never",
        "spec.schedulerName=default-scheduler", "spec.serviceAccountName=", "spec.hostNetwork=false",
        "status.nominatedNodeName=", "status.podIPs=10.0.0.1",
    ):  # fmt: skip
        api.get(api.to("pods"), fieldSelector=text)


@api_scenario(
    "selectors/bad-fields",
    must="A field that cannot be selected MUST be refused with 400.",
    source="apimachinery/pkg/runtime/scheme.go: ConvertFieldLabel",
)
def bad_fields(api: Api) -> None:
    for plural in (
        "configmaps",
        "pods",
        "replicasets",
        "horizontalpodautoscalers",
        "events",
        "jobs",
        "leases",
        "secrets",
    ):
        api.get(api.to(plural), fieldSelector="spec.nonsense=1")
    for text in ("metadata.name", "=a", "metadata.name=a,,", "metadata.name=a=b", "metadata.name>a", "a\\"):
        api.get(api.to("configmaps"), fieldSelector=text)


@api_scenario(
    "selectors/fields-of-others",
    must="Events, jobs, namespaces and workloads MUST have selectable fields of their own.",
    source="AddFieldLabelConversionFunc of the API groups",
)
def other_fields(api: Api) -> None:
    api.post(api.to("replicasets"), bodies.workload())
    api.get(api.to("replicasets"), fieldSelector="status.replicas=0")
    api.get(api.to("replicasets"), fieldSelector="status.replicas=1")
    api.post(api.to("jobs"), bodies.job())
    api.get(api.to("jobs"), fieldSelector="status.successful=0")
    api.get(api.to("namespaces"), fieldSelector=f"metadata.name={api.namespace},status.phase=Active")
    api.get(api.to("secrets"), fieldSelector="type=Opaque")
    api.get(api.to("events"), fieldSelector="involvedObject.name=web,type=Warning,reason=Failed,source=kubelet")


@api_scenario(
    "selectors/of-events",
    must="Events MUST be selectable by what they are about.",
    source="pkg/registry/core/event/strategy.go: ToSelectableFields",
)
def events(api: Api) -> None:
    about = {"kind": "Pod", "name": "one", "namespace": api.namespace, "uid": "11111111-2222-4333-8444-555555555555"}
    event = {
        "metadata": {"name": "one.1"},
        "involvedObject": about,
        "reason": "Failed",
        "type": "Warning",
        "source": {"component": "kubelet"},
        "firstTimestamp": "2026-01-01T00:00:00Z",
        "lastTimestamp": "2026-01-01T00:00:00Z",
        "count": 1,
    }
    api.post(api.to("events"), event)
    for text in (
        "involvedObject.name=one", "involvedObject.kind=Node", "reason=Failed", "source=kubelet", "type!=Warning",
        "reportingComponent=kubelet", "involvedObject.uid=" + about["uid"],
    ):  # fmt: skip
        api.get(api.to("events"), fieldSelector=text)
    api.get(f"/apis/events.k8s.io/v1/namespaces/{api.namespace}/events", fieldSelector="regarding.name=one")
    api.get(f"/apis/events.k8s.io/v1/namespaces/{api.namespace}/events", fieldSelector="involvedObject.name=one")


@api_scenario(
    "selectors/of-custom-resources",
    must="Custom resources MUST be selectable by name and namespace, and by nothing else.",
    source="apiextensions-apiserver/pkg/registry/customresource/strategy.go",
)
def custom(api: Api) -> None:
    group = f"{api.token}.example.com"
    api.define(bodies.definition(group))
    path = api.to_custom(f"{group}/v1", "widgets")
    api.post(path, bodies.custom(group))
    api.get(path, fieldSelector="metadata.name=one")
    api.get(path, fieldSelector="metadata.name=two")
    api.get(path, fieldSelector="spec.size=1")
