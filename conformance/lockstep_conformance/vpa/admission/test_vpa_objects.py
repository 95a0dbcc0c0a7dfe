"""VPA objects on their way in: what is filled in, what is refused with which words, what is only warned about."""

from __future__ import annotations

from typing import Any

from lockstep import AdmissionOptions, Cluster, Options, VpaOptions, objects, scenario
from lockstep.objects.definitions import VPAS
from lockstep_conformance.vpa.admission.steps import ADMISSION, REGISTERED, refusal

_HANDLER = "pkg/admission-controller/resource/vpa/handler.go: GetPatches"
_VALIDATION = "pkg/admission-controller/resource/vpa/validation.go"
_INVALID = (
    'admission webhook "vpa.k8s.io" denied the request: VerticalPodAutoscaler.autoscaling.k8s.io "web" is invalid: '
)


def _policies(**policy: Any) -> objects.Object:
    return objects.vpa(policies=[objects.container_policy(**policy)])


async def _expect_refused(cluster: Cluster, what: str, vpa: objects.Object, why: str) -> None:
    cluster.expect(what, await refusal(cluster, vpa), (422, _INVALID + why))


@scenario(
    "vpa-admission/update-policy-is-filled-in",
    must="A VPA without an update policy MUST be stored with the mode Recreate; one with any MUST stay as it is.",
    source=_HANDLER,
    controllers=ADMISSION,
)
async def test_update_policy_is_filled_in(cluster: Cluster) -> None:
    await cluster.run_until(REGISTERED)
    await cluster.create(objects.vpa("plain"), objects.vpa("off", mode="Off"))
    modes = {one["metadata"]["name"]: one["spec"]["updatePolicy"] for one in cluster.list(VPAS)}
    cluster.expect("policies", modes, {"plain": {"updateMode": "Recreate"}, "off": {"updateMode": "Off"}})


@scenario(
    "vpa-admission/update-policy-that-makes-no-sense",
    must="An update policy without a mode, or with a minimum of replicas below one, MUST be refused with all findings.",
    source=_VALIDATION,
    controllers=ADMISSION,
)
async def test_update_policy_that_makes_no_sense(cluster: Cluster) -> None:
    await cluster.run_until(REGISTERED)
    await _expect_refused(
        cluster,
        "both",
        objects.vpa(min_replicas=0),
        "[spec.updatePolicy.updateMode: Required value: updateMode is required if UpdatePolicy is used, "
        "spec.updatePolicy.minReplicas: Invalid value: 0: minReplicas has to be positive]",
    )
    await _expect_refused(
        cluster,
        "mode",
        objects.vpa(mode="Sometimes"),
        'spec.updatePolicy.updateMode: Unsupported value: "Sometimes": supported values: "InPlace", '
        '"InPlaceOrRecreate", "Initial", "Off", "Recreate"',
    )
    cluster.expect("stored", cluster.list(VPAS), [])


@scenario(
    "vpa-admission/bounds-that-make-no-sense",
    must="A maximum below its minimum, CPU that is no whole number of millis, and memory that is no whole number of "
    "bytes MUST be refused.",
    source=_VALIDATION,
    controllers=ADMISSION,
)
async def test_bounds_that_make_no_sense(cluster: Cluster) -> None:
    await cluster.run_until(REGISTERED)
    path = "spec.resourcePolicy.containerPolicies[0]"
    await _expect_refused(
        cluster,
        "maximum",
        _policies(min_allowed={"cpu": "2"}, max_allowed={"cpu": "1"}),
        f'{path}.maxAllowed[cpu]: Invalid value: "1": max resource for cpu is lower than min of "2"',
    )
    await _expect_refused(
        cluster,
        "millis",
        _policies(min_allowed={"cpu": "1500u"}),
        f'{path}.minAllowed[cpu]: Invalid value: "1500u": must be a whole number of milli CPUs',
    )
    await _expect_refused(
        cluster,
        "bytes",
        _policies(max_allowed={"memory": "1500m"}),
        f'{path}.maxAllowed[memory]: Invalid value: "1500m": must be a whole number of bytes',
    )


@scenario(
    "vpa-admission/container-policies-that-make-no-sense",
    must="A container policy without a name, with an unknown mode, or that controls limits while it is off, MUST be "
    "refused.",
    source=_VALIDATION,
    controllers=ADMISSION,
)
async def test_container_policies_that_make_no_sense(cluster: Cluster) -> None:
    await cluster.run_until(REGISTERED)
    path = "spec.resourcePolicy.containerPolicies[0]"
    await _expect_refused(cluster, "name", _policies(container=""), f"{path}.containerName: Required value")
    await _expect_refused(
        cluster,
        "mode",
        _policies(mode="On"),
        f'{path}.mode: Unsupported value: "On": supported values: "Auto", "Off"',
    )
    await _expect_refused(
        cluster,
        "limits",
        _policies(mode="Off", values="RequestsAndLimits"),
        f"{path}.controlledValues: Forbidden: controlledValues shouldn't be specified if container scaling mode is off",
    )


@scenario(
    "vpa-admission/more-than-one-recommender",
    must="A VPA that names more than one recommender MUST be refused.",
    source=_VALIDATION,
    controllers=ADMISSION,
)
async def test_more_than_one_recommender(cluster: Cluster) -> None:
    await cluster.run_until(REGISTERED)
    await _expect_refused(
        cluster,
        "two",
        objects.vpa(recommenders=["default", "other"]),
        "spec.recommenders: Too many: 2: must have at most 1 item",
    )
    await cluster.create(objects.vpa(recommenders=["other"]))
    cluster.expect("one", len(cluster.list(VPAS)), 1)


@scenario(
    "vpa-admission/what-gates-forbid",
    must="What belongs to a feature gate that is off MUST be refused, with the name of the gate.",
    source=_VALIDATION,
    controllers=ADMISSION,
)
async def test_what_gates_forbid(cluster: Cluster) -> None:
    await cluster.run_until(REGISTERED)
    path = "spec.resourcePolicy.containerPolicies[0]"
    await _expect_refused(
        cluster,
        "in place",
        objects.vpa(mode="InPlace"),
        "spec.updatePolicy.updateMode: Forbidden: in order to use UpdateMode InPlace, you must enable feature gate "
        "InPlace in the admission-controller args",
    )
    await _expect_refused(
        cluster,
        "boost",
        objects.vpa(startupBoost={"cpu": {"type": "Factor", "factor": 2}}),
        "spec.startupBoost: Forbidden: in order to use startupBoost, you must enable feature gate CPUStartupBoost in "
        "the admission-controller args",
    )
    await _expect_refused(
        cluster,
        "bump",
        _policies(oomBumpUpRatio="1.5"),
        f"{path}.oomBumpUpRatio: Forbidden: not supported when feature flag PerVPAConfig is disabled",
    )


@scenario(
    "vpa-admission/what-gates-allow",
    must="With its gate on, a field MUST be let in within its bounds, and refused beyond them.",
    source=_VALIDATION,
    controllers=ADMISSION,
    options=Options(vpa=VpaOptions(feature_gates={"InPlace": True, "PerVPAConfig": True, "CPUStartupBoost": True})),
)
async def test_what_gates_allow(cluster: Cluster) -> None:
    await cluster.run_until(REGISTERED)
    path = "spec.resourcePolicy.containerPolicies[0]"
    await _expect_refused(
        cluster,
        "ratio",
        _policies(oomBumpUpRatio="0.5"),
        f"{path}.oomBumpUpRatio: Invalid value: 0.5: must be greater than or equal to 1.0",
    )
    await _expect_refused(
        cluster,
        "boost",
        objects.vpa(startupBoost={"cpu": {"type": "Quantity"}}),
        "spec.startupBoost.cpu.quantity: Required value: required when type is Quantity",
    )
    good = objects.vpa(mode="InPlace", policies=[objects.container_policy(oomBumpUpRatio="1.5")])
    await cluster.create(good)
    cluster.expect("stored", len(cluster.list(VPAS)), 1)


@scenario(
    "vpa-admission/old-objects-keep-what-gates-forbid",
    must="An update of a VPA that has what a gate forbids now MUST be let through.",
    source=f"{_VALIDATION}: getValidationOptionsForVPA",
    controllers=ADMISSION,
)
async def test_old_objects_keep_what_gates_forbid(cluster: Cluster) -> None:
    await cluster.create(objects.vpa(mode="InPlace"))  # while no webhook is there yet
    await cluster.run_until(REGISTERED)
    await cluster.patch(VPAS, "web", {"spec": {"updatePolicy": {"minReplicas": 3}}})
    stored = cluster.get(VPAS, "web")["spec"]["updatePolicy"]
    cluster.expect("stored", stored, {"updateMode": "InPlace", "minReplicas": 3})


@scenario(
    "vpa-admission/auto-is-warned-about",
    must="A VPA in mode Auto MUST be let in with a warning that the mode will go.",
    source="pkg/admission-controller/logic/server.go: addDeprecationWarnings",
    controllers=ADMISSION,
)
async def test_auto_is_warned_about(cluster: Cluster) -> None:
    await cluster.run_until(REGISTERED)
    await cluster.create(objects.vpa(mode="Auto"))
    (review,) = [write for write in cluster.writes() if write.verb == "review"]
    cluster.expect("warnings", len(review.body["answer"]["warnings"]), 1)
    cluster.expect("stored", cluster.get(VPAS, "web")["spec"]["updatePolicy"], {"updateMode": "Auto"})


@scenario(
    "vpa-admission/values-of-the-wrong-type",
    must="A VPA with values of the wrong type MUST be refused, in the words of Go's decoder.",
    source=f"{_HANDLER} (parseVPA)",
    controllers=ADMISSION,
)
async def test_values_of_the_wrong_type(cluster: Cluster) -> None:
    await cluster.run_until(REGISTERED)
    for what, vpa in {
        "number": objects.vpa(mode="Off", min_replicas="two"),  # type: ignore[arg-type]
        "quantity": _policies(min_allowed={"cpu": "much"}),
        "list": objects.vpa(resourcePolicy={"containerPolicies": {}}),
    }.items():
        code, message = await refusal(cluster, vpa)
        cluster.expect(f"{what} refused", code, 422)
        cluster.expect_true(f"{what} told", "Internal error" in message)


@scenario(
    "vpa-admission/a-vpa-of-another-namespace-than-watched",
    must="With --vpa-object-namespace the webhook MUST still be registered for all namespaces but one without a name, "
    "since an empty list of ignored namespaces is taken for one empty name.",
    source="pkg/admission-controller/config.go: selfRegistration",
    controllers=ADMISSION,
    options=Options(vpa=VpaOptions(admission=AdmissionOptions(vpa_object_namespace="default"))),
)
async def test_a_vpa_of_another_namespace_than_watched(cluster: Cluster) -> None:
    await cluster.run_until(REGISTERED)
    configuration = cluster.get("mutatingwebhookconfigurations.admissionregistration.k8s.io", "vpa-webhook-config", "")
    selector = configuration["webhooks"][0]["namespaceSelector"]
    wanted = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": [""]}
    cluster.expect("selector", selector, {"matchExpressions": [wanted]})
