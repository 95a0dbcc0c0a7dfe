"""The columns of kinds that are only stored here, without any behaviour (pkg/printers/internalversion/printers.go)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep.serving.tables.ages import age
from lockstep.serving.tables.cells import container_names, images, selector
from lockstep.serving.tables.column import AGE, NAME, Column, Columns, at, number, plain

Object = dict[str, Any]
_NONE = "<none>"
_SHORT_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}


def _data(one: Object) -> str:
    return str(len(one.get("data") or {}) + len(one.get("binaryData") or {}))


def _external(service: Object) -> str:
    spec = service.get("spec") or {}
    kind, addresses = spec.get("type", "ClusterIP"), list(spec.get("externalIPs") or ())
    if kind == "ExternalName":
        return str(spec.get("externalName", ""))
    balancer = ((service.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ()
    if kind == "LoadBalancer":
        addresses = [str(one.get("ip") or one.get("hostname")) for one in balancer] + addresses
    return ",".join(addresses) or ("<pending>" if kind == "LoadBalancer" else _NONE)


def _ports(service: Object) -> str:
    texts = []
    for port in (service.get("spec") or {}).get("ports") or ():
        node = f":{port['nodePort']}" if port.get("nodePort") else ""
        texts.append(f"{port.get('port')}{node}/{port.get('protocol', 'TCP')}")
    return ",".join(texts) or _NONE


def _cluster_ip(service: Object) -> str:
    return next(iter((service.get("spec") or {}).get("clusterIPs") or ()), _NONE)


def _quota(*, limits: bool) -> Any:
    def cell(quota: Object, now: int) -> str:
        status = quota.get("status") or {}
        hard, used = status.get("hard") or {}, status.get("used") or {}
        names = [name for name in sorted(hard) if name.startswith("limits.") == limits]
        return ", ".join(f"{name}: {used.get(name, '0')}/{hard[name]}" for name in names)

    return cell


def _role(binding: Object) -> str:
    role = binding.get("roleRef") or {}
    return f"{role.get('kind', '')}/{role.get('name', '')}"


def _subjects(kind: str) -> Any:
    def cell(binding: Object, now: int) -> str:
        found = [one for one in binding.get("subjects") or () if one.get("kind") == kind]
        names = [
            f"{one['namespace']}/{one.get('name', '')}" if one.get("namespace") else one.get("name", "")
            for one in found
        ]
        return ", ".join(names)

    return cell


def _modes(claim: Object) -> str:
    bound = (claim.get("spec") or {}).get("volumeName")
    modes = (claim.get("status") or {}).get("accessModes") or () if bound else ()
    return ",".join(_SHORT_MODES.get(mode, mode) for mode in modes)


def _claim_phase(claim: Object) -> str:
    going = (claim.get("metadata") or {}).get("deletionTimestamp")
    return "Terminating" if going else str((claim.get("status") or {}).get("phase", ""))


def _of_job(read: Any) -> Any:
    return plain(lambda cron: read((cron.get("spec") or {}).get("jobTemplate") or {}))


def _last_schedule(cron: Object, now: int) -> str:
    last = (cron.get("status") or {}).get("lastScheduleTime")
    return age(last, now) if last else _NONE


def _suspended(cron: Object) -> str:
    return "True" if (cron.get("spec") or {}).get("suspend") else "False"


def _match_labels(one: Object) -> str:
    return (
        ",".join(f"{key}={value}" for key, value in sorted(((one.get("spec") or {}).get("selector") or {}).items()))
        or _NONE
    )


_CREATED = Columns((NAME, Column("Created At", at("metadata.creationTimestamp"), "date")))
_WEBHOOKS = Columns((NAME, Column("Webhooks", plain(lambda one: len(one.get("webhooks") or ())), "integer"), AGE))
_BINDINGS = Columns(
    (
        NAME,
        Column("Role", plain(_role)),
        AGE,
        Column("Users", _subjects("User"), wide=True),
        Column("Groups", _subjects("Group"), wide=True),
        Column("ServiceAccounts", _subjects("ServiceAccount"), wide=True),
    )
)
STORED_TABLES: Mapping[str, Columns] = {
    **dict.fromkeys(("roles.rbac.authorization.k8s.io", "clusterroles.rbac.authorization.k8s.io"), _CREATED),
    **dict.fromkeys(("limitranges", "customresourcedefinitions.apiextensions.k8s.io"), _CREATED),
    "rolebindings.rbac.authorization.k8s.io": _BINDINGS,
    "clusterrolebindings.rbac.authorization.k8s.io": _BINDINGS,
    "mutatingwebhookconfigurations.admissionregistration.k8s.io": _WEBHOOKS,
    "validatingwebhookconfigurations.admissionregistration.k8s.io": _WEBHOOKS,
    "configmaps": Columns((NAME, Column("Data", plain(_data)), AGE)),
    "secrets": Columns((NAME, Column("Type", at("type", "Opaque")), Column("Data", plain(_data)), AGE)),
    "services": Columns(
        (
            NAME,
            Column("Type", at("spec.type", "ClusterIP")),
            Column("Cluster-IP", plain(_cluster_ip)),
            Column("External-IP", plain(_external)),
            Column("Port(s)", plain(_ports)),
            AGE,
            Column("Selector", plain(_match_labels), wide=True),
        )
    ),
    "cronjobs.batch": Columns(
        (
            NAME,
            Column("Schedule", at("spec.schedule")),
            Column("Timezone", at("spec.timeZone", _NONE)),
            Column("Suspend", plain(_suspended), "boolean"),
            Column("Active", plain(lambda one: len((one.get("status") or {}).get("active") or ())), "integer"),
            Column("Last Schedule", _last_schedule),
            AGE,
            Column("Containers", _of_job(container_names), wide=True),
            Column("Images", _of_job(images), wide=True),
            Column("Selector", _of_job(selector), wide=True),
        )
    ),
    "resourcequotas": Columns(
        (NAME, Column("Request", _quota(limits=False)), Column("Limit", _quota(limits=True)), AGE)
    ),
    "priorityclasses.scheduling.k8s.io": Columns(
        (
            NAME,
            number("Value", "value"),
            Column("Global-Default", at("globalDefault", default=False), "boolean"),
            AGE,
            Column("PreemptionPolicy", at("preemptionPolicy", "PreemptLowerPriority")),
        )
    ),
    "persistentvolumeclaims": Columns(
        (
            NAME,
            Column("Status", plain(_claim_phase)),
            Column("Volume", at("spec.volumeName")),
            Column("Capacity", at("status.capacity.storage")),
            Column("Access Modes", plain(_modes)),
            Column("StorageClass", at("spec.storageClassName")),
            Column("VolumeAttributesClass", at("spec.volumeAttributesClassName", "<unset>")),
            AGE,
            Column("VolumeMode", at("spec.volumeMode", "<unset>"), wide=True),
        )
    ),
}
