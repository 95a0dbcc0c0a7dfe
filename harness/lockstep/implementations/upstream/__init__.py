"""Unmodified upstream Go controllers, run on virtual time by a process that this package builds, starts and serves.

- `releases`: which Kubernetes releases can be run, and `path=DIR` for a checkout.
- `build`: compiles the process once per release into the user's cache.
- `process`: one running process and the frames it exchanges with us.
- `driver`: lets that process move the virtual clock of `lockstep.time.loop`.
- `go/`: the Go half.
"""

from lockstep.implementations.upstream.errors import BuildFailed, UpstreamFailed

__all__ = ["BuildFailed", "UpstreamFailed"]
