"""Builders of autoscalers: what they make is autoscaling/v2 in wire form."""

from __future__ import annotations

from lockstep import objects


def test_a_plain_autoscaler_leaves_the_rest_to_the_server() -> None:
    assert objects.hpa("web") == {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "scaleTargetRef": {"kind": "ReplicaSet", "name": "web", "apiVersion": "apps/v1"},
            "maxReplicas": 10,
        },
    }


def test_a_full_one() -> None:
    made = objects.hpa(
        "scaler",
        target=objects.deployment("api"),
        min_replicas=0,
        max_replicas=7,
        metrics=[],
        behavior=objects.behavior(
            up=objects.scaling(("Pods", 4, 60), ("Percent", 100, 15), select="Min", tolerance="50m"),
            down=objects.scaling(window=0, select="Disabled"),
        ),
        metadata={"namespace": "prod", "annotations": {"a": "b"}},
    )
    assert made["metadata"] == {"name": "scaler", "namespace": "prod", "annotations": {"a": "b"}}
    assert made["spec"] == {
        "scaleTargetRef": {"kind": "Deployment", "name": "api", "apiVersion": "apps/v1"},
        "minReplicas": 0,
        "maxReplicas": 7,
        "metrics": [],
        "behavior": {
            "scaleUp": {
                "policies": [
                    {"type": "Pods", "value": 4, "periodSeconds": 60},
                    {"type": "Percent", "value": 100, "periodSeconds": 15},
                ],
                "selectPolicy": "Min",
                "tolerance": "50m",
            },
            "scaleDown": {"stabilizationWindowSeconds": 0, "selectPolicy": "Disabled"},
        },
    }


def test_metrics_of_each_kind() -> None:
    service = objects.reference("Service", "web", "v1")
    assert objects.resource_metric("cpu", utilization=50) == {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
    }
    assert objects.container_metric("app", "memory", average="1Gi") == {
        "type": "ContainerResource",
        "containerResource": {
            "name": "memory",
            "container": "app",
            "target": {"type": "AverageValue", "averageValue": "1Gi"},
        },
    }
    assert objects.pods_metric("http", "10", labels={"verb": "GET"}) == {
        "type": "Pods",
        "pods": {
            "metric": {"name": "http", "selector": {"matchLabels": {"verb": "GET"}}},
            "target": {"type": "AverageValue", "averageValue": "10"},
        },
    }
    assert objects.object_metric("rate", service, value="100") == {
        "type": "Object",
        "object": {
            "describedObject": {"kind": "Service", "name": "web", "apiVersion": "v1"},
            "metric": {"name": "rate"},
            "target": {"type": "Value", "value": "100"},
        },
    }
    assert objects.external_metric("queue", average="30") == {
        "type": "External",
        "external": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "30"}},
    }


def test_bad_targets_can_be_built() -> None:
    assert objects.resource_metric()["resource"]["target"] == {"type": ""}
    both = objects.external_metric("queue", value="1", average="2")["external"]["target"]
    assert both == {"type": "AverageValue", "averageValue": "2", "value": "1"}
