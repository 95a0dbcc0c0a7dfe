"""Where a run keeps its files: certificates and logs in one folder, etcd's data in memory if there is room."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lockstep.clusters.control_plane.errors import ControlPlaneFailed

_MEMORY = Path("/dev/shm")  # noqa: S108 - a fresh folder inside, made by mkdtemp
#: More than etcd's files of a short run take; a container's usual 64 MiB of shared memory are too few.
_ROOM = 512 << 20
_PREFIX = "lockstep-control-plane-"


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders of one control plane. `run` holds all files that must not outlive it, `logs` those that are kept on
    failure.
    """

    run: Path
    data: Path
    logs: Path

    @classmethod
    def made(cls) -> Folders:
        """New folders that only we can read. Raises ControlPlaneFailed."""
        try:
            run = Path(tempfile.mkdtemp(prefix=_PREFIX))
            logs = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}logs-"))
            data = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=_MEMORY)) if _has_room() else run / "etcd"
            data.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise ControlPlaneFailed(f"cannot make folders for a control plane: {error}") from error
        return cls(run, data, logs)

    def remove(self, *, keep_logs: bool) -> None:
        """Remove all folders, or all but the logs."""
        for folder in (self.data, self.run, *(() if keep_logs else (self.logs,))):
            shutil.rmtree(folder, ignore_errors=True)


def _has_room() -> bool:
    try:
        return shutil.disk_usage(_MEMORY).free >= _ROOM
    except OSError:
        return False
