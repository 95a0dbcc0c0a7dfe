"""The admission controller's flags (pkg/admission-controller/config/config.go, common/flags.go)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lockstep_reference.vpa.features import enabled
from lockstep_reference.vpa.utils.status import ADMISSION_CONTROLLER_STATUS_NAMESPACE


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionConfig:
    """Flags by upstream's names.

    `namespace` is the variable NAMESPACE, `hostname` holds the Lease, `ca_bundle` is the content of --client-ca-file.
    """

    vpa_object_namespace: str = ""
    ignored_vpa_object_namespaces: str = ""
    webhook_service: str = "vpa-webhook"
    webhook_address: str = ""
    webhook_port: str = ""
    webhook_timeout_seconds: int = 30
    webhook_failure_policy_fail: bool = False
    register_webhook: bool = True
    webhook_labels: str = ""
    register_by_url: bool = False
    max_allowed_cpu_boost: str = ""
    namespace: str = ADMISSION_CONTROLLER_STATUS_NAMESPACE
    hostname: str = ""
    ca_bundle: str = ""
    feature_gates: Mapping[str, bool] = field(default_factory=dict)

    def enabled(self, gate: str) -> bool:
        """Whether a feature gate is on."""
        return enabled(gate, self.feature_gates)
