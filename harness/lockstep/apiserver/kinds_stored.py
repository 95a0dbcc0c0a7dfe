"""Built-in kinds that nobody here acts on: they are kept, served and watched, and nothing else comes of them.

Clients of a real cluster expect them: kubectl's `api-resources`, the informers of controllers. The served cluster adds
them to those of `kinds`; runs in memory do without. Facts from api/discovery of Kubernetes 1.36: all that is v1 and has
objects. What is checked of them is their metadata.
"""

from __future__ import annotations

from lockstep.apiserver.kinds import Kind

_STATUS = ("status",)
_EXTENSIONS = ("api-extensions",)
_ADMISSION, _RBAC, _STORAGE = "admissionregistration.k8s.io", "rbac.authorization.k8s.io", "storage.k8s.io"
_NETWORKING, _FLOW, _DEVICES = "networking.k8s.io", "flowcontrol.apiserver.k8s.io", "resource.k8s.io"
_AUTHENTICATION, _AUTHORIZATION = "authentication.k8s.io", "authorization.k8s.io"


def _kind(
    group: str,
    kind: str,
    plural: str,
    *short_names: str,
    namespaced: bool = False,
    generation: bool = False,
    subresources: tuple[str, ...] = (),
    categories: tuple[str, ...] = (),
) -> Kind:
    return Kind(
        group,
        "v1",
        kind,
        plural,
        namespaced=namespaced,
        subresources=subresources,
        generation=generation,
        short_names=short_names,
        categories=categories,
    )


def _question(group: str, kind: str, *, namespaced: bool = False) -> Kind:
    return Kind(group, "v1", kind, f"{kind.lower()}s", namespaced=namespaced, generation=False, asked_only=True)


STORED: tuple[Kind, ...] = (
    _kind("", "PersistentVolume", "persistentvolumes", "pv", subresources=_STATUS),
    _kind("", "PersistentVolumeClaim", "persistentvolumeclaims", "pvc", namespaced=True, subresources=_STATUS),
    _kind("", "PodTemplate", "podtemplates", namespaced=True, generation=True),
    _kind(
        "apiregistration.k8s.io",
        "APIService",
        "apiservices",
        generation=True,
        subresources=_STATUS,
        categories=_EXTENSIONS,
    ),
    _kind(
        "certificates.k8s.io",
        "CertificateSigningRequest",
        "certificatesigningrequests",
        "csr",
        subresources=("approval", "status"),
    ),
    _kind(_NETWORKING, "Ingress", "ingresses", "ing", namespaced=True, generation=True, subresources=_STATUS),
    _kind(_NETWORKING, "IngressClass", "ingressclasses", generation=True),
    _kind(_NETWORKING, "IPAddress", "ipaddresses", "ip"),
    _kind(_NETWORKING, "NetworkPolicy", "networkpolicies", "netpol", namespaced=True, generation=True),
    _kind(_NETWORKING, "ServiceCIDR", "servicecidrs", subresources=_STATUS),
    _kind(_RBAC, "ClusterRole", "clusterroles"),
    _kind(_RBAC, "ClusterRoleBinding", "clusterrolebindings"),
    _kind(_RBAC, "Role", "roles", namespaced=True),
    _kind(_RBAC, "RoleBinding", "rolebindings", namespaced=True),
    _kind(_STORAGE, "CSIDriver", "csidrivers"),
    _kind(_STORAGE, "CSINode", "csinodes"),
    _kind(_STORAGE, "CSIStorageCapacity", "csistoragecapacities", namespaced=True),
    _kind(_STORAGE, "StorageClass", "storageclasses", "sc"),
    _kind(_STORAGE, "VolumeAttachment", "volumeattachments", subresources=_STATUS),
    _kind(_STORAGE, "VolumeAttributesClass", "volumeattributesclasses", "vac"),
    _kind(_ADMISSION, "MutatingAdmissionPolicy", "mutatingadmissionpolicies", generation=True, categories=_EXTENSIONS),
    _kind(
        _ADMISSION,
        "MutatingAdmissionPolicyBinding",
        "mutatingadmissionpolicybindings",
        generation=True,
        categories=_EXTENSIONS,
    ),
    _kind(
        _ADMISSION,
        "ValidatingAdmissionPolicy",
        "validatingadmissionpolicies",
        generation=True,
        subresources=_STATUS,
        categories=_EXTENSIONS,
    ),
    _kind(
        _ADMISSION,
        "ValidatingAdmissionPolicyBinding",
        "validatingadmissionpolicybindings",
        generation=True,
        categories=_EXTENSIONS,
    ),
    _kind("scheduling.k8s.io", "PriorityClass", "priorityclasses", "pc", generation=True),
    _kind("node.k8s.io", "RuntimeClass", "runtimeclasses"),
    _kind("discovery.k8s.io", "EndpointSlice", "endpointslices", namespaced=True, generation=True),
    _kind(_DEVICES, "DeviceClass", "deviceclasses", generation=True),
    _kind(_DEVICES, "ResourceClaim", "resourceclaims", namespaced=True, subresources=_STATUS),
    _kind(_DEVICES, "ResourceClaimTemplate", "resourceclaimtemplates", namespaced=True),
    _kind(_DEVICES, "ResourceSlice", "resourceslices", generation=True),
    _kind(_FLOW, "FlowSchema", "flowschemas", generation=True, subresources=_STATUS),
    _kind(_FLOW, "PriorityLevelConfiguration", "prioritylevelconfigurations", generation=True, subresources=_STATUS),
    _question(_AUTHENTICATION, "SelfSubjectReview"),
    _question(_AUTHENTICATION, "TokenReview"),
    _question(_AUTHORIZATION, "LocalSubjectAccessReview", namespaced=True),
    _question(_AUTHORIZATION, "SelfSubjectAccessReview"),
    _question(_AUTHORIZATION, "SelfSubjectRulesReview"),
    _question(_AUTHORIZATION, "SubjectAccessReview"),
)
