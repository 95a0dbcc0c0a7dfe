"""Quotas, limit ranges, and what the other plugins of a usual server do to a pod."""

from __future__ import annotations

from typing import Any

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_QUOTA = "apiserver/pkg/admission/plugin/resourcequota/controller.go"
_RANGER = "plugin/pkg/admission/limitranger/admission.go"


def _limited(api: Api, used: dict[str, str], **hard: str) -> None:
    """A quota that its controller has counted."""
    api.prepare("POST", api.to("resourcequotas"), bodies.quota(**hard))
    body = api.prepare("GET", api.to("resourcequotas", "limit"))
    body["status"] = {"hard": hard, "used": used}
    api.prepare("PUT", api.to("resourcequotas", "limit", "status"), body)


def _pod(name: str, **resources: Any) -> dict[str, Any]:
    return bodies.pod(name, spec={"containers": [bodies.container(resources=resources)]})


@api_scenario(
    "admission/plugins",
    must="A pod MUST get a priority and tolerations, as the default plugins have it.",
    source="plugin/pkg/admission/defaulttolerationseconds",
)
def plugins(api: Api) -> None:
    api.post(api.to("pods"), bodies.pod())


@api_scenario(
    "admission/quota-of-pods", must="A pod beyond a quota MUST be refused with 403 and the figures.", source=_QUOTA
)
def quota_of_pods(api: Api) -> None:
    _limited(api, {"pods": "0"}, pods="1")
    api.post(api.to("pods"), bodies.pod("one"))
    api.post(api.to("pods"), bodies.pod("two"))
    api.get(api.to("resourcequotas", "limit"))


@api_scenario(
    "admission/quota-of-resources",
    must="Requests and limits beyond a quota MUST be refused, and missing ones as well.",
    source=_QUOTA,
)
def quota_of_resources(api: Api) -> None:
    _limited(api, {"requests.cpu": "0", "limits.memory": "0"}, **{"requests.cpu": "1", "limits.memory": "1Gi"})
    api.post(api.to("pods"), _pod("fits", requests={"cpu": "600m"}, limits={"memory": "512Mi"}))
    api.post(api.to("pods"), _pod("large", requests={"cpu": "600m"}, limits={"memory": "512Mi"}))
    api.post(api.to("pods"), _pod("larger", requests={"cpu": "2"}, limits={"memory": "2Gi"}))
    api.post(api.to("pods"), _pod("silent"))
    api.get(api.to("resourcequotas", "limit"))


@api_scenario("admission/quota-of-counts", must="Counts of other kinds MUST be limited as well.", source=_QUOTA)
def quota_of_counts(api: Api) -> None:
    _limited(
        api, {"configmaps": "0", "count/replicasets.apps": "0"}, **{"configmaps": "1", "count/replicasets.apps": "0"}
    )
    api.post(api.to("configmaps"), bodies.config_map("one"))
    api.post(api.to("configmaps"), bodies.config_map("two"))
    api.post(api.to("replicasets"), bodies.workload())
    api.post(api.to("configmaps"), bodies.config_map("three"), dryRun="All")


@api_scenario(
    "admission/limit-defaults",
    must="A limit range MUST fill in requests and limits that a container leaves out.",
    source=_RANGER,
)
def limit_defaults(api: Api) -> None:
    limit = {
        "type": "Container",
        "default": {"cpu": "500m", "memory": "256Mi"},
        "defaultRequest": {"cpu": "100m"},
    }
    body = {"metadata": {"name": "limits"}, "spec": {"limits": [limit]}}
    api.post(api.to("limitranges"), body)
    api.post(api.to("pods"), bodies.pod("bare"))
    api.post(api.to("pods"), _pod("half", requests={"cpu": "200m"}))
    api.post(api.to("pods"), _pod("over", limits={"cpu": "1"}))


@api_scenario(
    "admission/limit-violations",
    must="A pod outside a limit range MUST be refused with 403 and every reason.",
    source=_RANGER,
)
def limit_violations(api: Api) -> None:
    limit = {
        "type": "Container",
        "min": {"cpu": "100m"},
        "max": {"cpu": "1", "memory": "1Gi"},
        "maxLimitRequestRatio": {"cpu": "2"},
    }
    whole = {"type": "Pod", "max": {"cpu": "2"}}
    api.post(api.to("limitranges"), {"metadata": {"name": "limits"}, "spec": {"limits": [limit, whole]}})
    api.post(
        api.to("pods"), _pod("small", requests={"cpu": "50m", "memory": "1Mi"}, limits={"cpu": "50m", "memory": "1Mi"})
    )
    api.post(
        api.to("pods"), _pod("large", requests={"cpu": "2", "memory": "1Mi"}, limits={"cpu": "2", "memory": "1Mi"})
    )
    api.post(
        api.to("pods"),
        _pod("ratio", requests={"cpu": "100m", "memory": "1Mi"}, limits={"cpu": "300m", "memory": "1Mi"}),
    )
    api.post(api.to("pods"), bodies.pod("bare"))


@api_scenario(
    "admission/limit-ranges",
    must="A limit range MUST be sound and get its own defaults.",
    source="pkg/apis/core/validation/validation.go: ValidateLimitRange",
)
def limit_ranges(api: Api) -> None:
    for limit in (
        {"type": "Container", "max": {"cpu": "1"}},
        {"type": "Container", "min": {"cpu": "2"}, "max": {"cpu": "1"}},
        {"type": "Container", "default": {"cpu": "2"}, "max": {"cpu": "1"}},
        {"type": "Pod", "default": {"cpu": "1"}},
        {"type": "Nonsense", "max": {"cpu": "1"}},
        {"max": {"cpu": "1"}},
    ):
        body = {"metadata": {"name": "limits"}, "spec": {"limits": [limit]}}
        api.post(api.to("limitranges"), body, dryRun="All")


@api_scenario(
    "admission/quotas",
    must="A quota MUST hold quantities of resources that there are.",
    source="pkg/apis/core/validation/validation.go: ValidateResourceQuota",
)
def quotas(api: Api) -> None:
    api.post(
        api.to("resourcequotas"),
        bodies.quota(**{"pods": "10", "requests.cpu": "2000m", "count/jobs.batch": "3"}),
        dryRun="All",
    )
    api.post(api.to("resourcequotas"), bodies.quota(pods="-1"), dryRun="All")
    api.post(api.to("resourcequotas"), bodies.quota(pods="many"), dryRun="All")
