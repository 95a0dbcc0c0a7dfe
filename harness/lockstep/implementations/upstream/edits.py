"""The edits of upstream's sources that let them run in a bubble. They do not change the controllers' behaviour.

- client-go's RESTMapper holds a mutex while it calls discovery. A goroutine that waits for a mutex keeps a bubble's
  time from moving, so the mutex is replaced by one that a bubble supports.
- The VPA updater's informer of VPAs waits for a channel that is never closed. The edit passes one that we close.
- The VPA admission controller registers its webhook in a package `main`, which cannot be imported. The files are copied
  under another package clause.

Each edit replaces a text that must occur exactly once. Otherwise the build fails: no build is better than a wrong one.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from lockstep.implementations.upstream.errors import BuildFailed

CLIENT_GO = "k8s.io/client-go"
VPA = "k8s.io/autoscaler/vertical-pod-autoscaler"
#: The folder of our sources with the files to add, and that of the copied package.
ADDITIONS, REGISTRATION = "edits", "registration"
_REGISTRATION_FILES = ("config.go", "certs.go")


@dataclass(frozen=True, slots=True)
class Edit:
    """In `file` of `module`, `old` becomes `new`; `addition`, a folder of ours, joins the package."""

    module: str
    file: str
    old: str
    new: str
    addition: str


EDITS = (
    # the array without elements keeps the import of sync in use
    Edit(
        CLIENT_GO,
        "restmapper/discovery.go",
        "initMu   sync.Mutex",
        "initMu   struct { patientMutex; _ [0]sync.Mutex }",
        "restmapper",
    ),
    Edit(
        VPA,
        "pkg/updater/logic/updater.go",
        "NewVpasLister(vpaClient, make(chan struct{}), namespace)",
        "NewVpasLister(vpaClient, Stop, namespace)",
        "updater",
    ),
)


def edited_copy(module: str, root: Path, sources: Path, target: Path) -> None:
    """Copy the module at `root` to `target`, with its edits. `sources` are ours. Raises BuildFailed if one misses."""
    linked_copy(root, target)
    for edit in EDITS:
        if edit.module != module:
            continue
        text = (root / edit.file).read_text()
        if text.count(edit.old) != 1:
            raise BuildFailed(f"{root / edit.file} does not hold {edit.old!r} exactly once: this release is not known")
        _write(target / edit.file, text.replace(edit.old, edit.new))
        for file in sorted((sources / ADDITIONS / edit.addition).glob("*.go")):
            _write((target / edit.file).parent / f"lockstep_{file.name}", file.read_text())


def copy_registration(root: Path, target: Path) -> None:
    """Copy the part of the VPA's admission controller that registers its webhook into our package for it."""
    for name in _REGISTRATION_FILES:
        text = (root / "pkg/admission-controller" / name).read_text()
        if text.count("\npackage main\n") != 1:
            raise BuildFailed(
                f"{root}/pkg/admission-controller/{name} is not of package main: this release is not known"
            )
        _write(target / f"upstream_{name}", text.replace("\npackage main\n", f"\npackage {REGISTRATION}\n"))


def linked_copy(source: Path, target: Path) -> None:
    """Copy a tree by hard links, or file by file if the file system has no links between the two places.

    Replace files in the copy, never write to one.
    """
    for folder, _, files in os.walk(source):
        here = target / Path(folder).relative_to(source)
        here.mkdir(parents=True)  # not the source's mode: folders of the module cache are read-only
        for name in files:
            try:
                os.link(Path(folder, name), here / name)
            except OSError:
                shutil.copyfile(Path(folder, name), here / name)


def _write(file: Path, text: str) -> None:
    file.unlink(missing_ok=True)  # it may be a link to the module cache
    file.write_text(text)
