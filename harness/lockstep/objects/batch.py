"""Builders for DaemonSets, Jobs, CronJobs and ReplicationControllers, part of `lockstep.objects`.

They get pods only if `cluster.owners` manages their kinds.
"""

from __future__ import annotations

from typing import Any

Object = dict[str, Any]


def daemon_set(name: str = "web", template: Object | None = None, **spec: Any) -> Object:
    """A DaemonSet whose pods are labelled `app: NAME`."""
    fields = {"selector": {"matchLabels": {"app": name}}, "template": template or _template(name), **spec}
    return _made("apps/v1", "DaemonSet", name, fields)


def job(name: str = "web", completions: int | None = 1, template: Object | None = None, **spec: Any) -> Object:
    """A Job whose pods are labelled `app: NAME` and are not restarted; with None, it ends when one pod succeeds."""
    fields: Object = {"template": template or _template(name, restartPolicy="Never"), **spec}
    if completions is not None:
        fields["completions"] = completions
    return _made("batch/v1", "Job", name, fields)


def cron_job(name: str = "web", schedule: str = "@hourly", of: Object | None = None, **spec: Any) -> Object:
    """A CronJob; `of` is an example of its Jobs (see `job`)."""
    like = of or job(name)
    return _made("batch/v1", "CronJob", name, {"schedule": schedule, "jobTemplate": {"spec": like["spec"]}, **spec})


def replication_controller(name: str = "web", replicas: int = 1, template: Object | None = None) -> Object:
    """A ReplicationController that selects `app: NAME`."""
    fields = {"replicas": replicas, "selector": {"app": name}, "template": template or _template(name)}
    return _made("v1", "ReplicationController", name, fields)


def _template(name: str, **spec: Any) -> Object:
    container = {"name": "main", "image": "registry.k8s.io/pause:3.10"}
    return {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container], **spec}}


def _made(api_version: str, kind: str, name: str, spec: Object) -> Object:
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}
