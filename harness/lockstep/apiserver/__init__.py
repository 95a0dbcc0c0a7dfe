"""An in-memory Kubernetes API server. Start at `server.ApiServer`; its limits are in `limits.LIMITS`."""

from lockstep.apiserver.messages import Reply, Request, Watch, WatchEvent
from lockstep.apiserver.server import ApiServer

__all__ = ["ApiServer", "Reply", "Request", "Watch", "WatchEvent"]
