"""The API server of a served cluster: all built-in kinds and namespaces, known fields, and no way to fall over."""

from __future__ import annotations

import logging
from collections.abc import Callable

from harness.apiserver import ApiServer, Reply, Request
from harness.apiserver.errors import internal_error
from harness.apiserver.kinds_stored import STORED
from harness.serving.fields import known_fields

_LOG = logging.getLogger("lockstep.serve")
#: Namespaces that a cluster has besides those that every API server here has.
_NAMESPACES = ("kube-node-lease", "kube-public")


class ServedApi(ApiServer):
    """An API server that outlives its own mistakes: a client gets a 500, the log what went wrong."""

    def __init__(self, now: Callable[[], int], seed: int = 0) -> None:
        super().__init__(now, seed=seed)
        for kind in STORED:
            self.state.registry.add(kind)
        for name in _NAMESPACES:
            self.handle(Request("POST", "/api/v1/namespaces", body={"metadata": {"name": name}}))
        self.state.field_rules = known_fields

    def handle(self, request: Request) -> Reply:
        """As ApiServer's, without ever raising."""
        try:
            return super().handle(request)
        except Exception as error:
            _LOG.exception("internal error in %s %s", request.method, request.path)
            problem = internal_error(f"{type(error).__name__} in the simulated API server")
            return Reply(problem.code, problem.status)
