"""All mutants of a list in one Go program, which runs one of them, or none.

Building upstream takes longer than trying a mutant, and some controllers have more than a hundred mutants. So a
function that a mutant changes only gets new first lines: they call a changed copy of the function if that mutant is
switched on. The switch is a file beside the program with the mutant's name. Without it the controller is the unmodified
one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lockstep.files import write_whole
from lockstep.quality.mutants.catalogue import Mutant
from lockstep.quality.mutants.mutation import mutated, place, source

_SWITCH = "mutant"
_FILE = "zz_lockstep_mutant.go"
_READER = f"""package %s

import (
	"os"
	"path/filepath"
)

// lockstepMutant names the mutant that is switched on, if one is.
var lockstepMutant = func() string {{
	program, err := os.Executable()
	if err != nil {{
		panic(err)
	}}
	name, err := os.ReadFile(filepath.Join(filepath.Dir(program), "{_SWITCH}"))
	if err != nil && !os.IsNotExist(err) {{
		panic(err)
	}}
	return string(name)
}}()
"""


@dataclass(frozen=True, slots=True)
class _Function:
    """A function of a Go file: the end of its name, the begin and end of its body, and a call of a copy of it."""

    start: int
    name_end: int
    body: int
    end: int
    call: str


def install(tree: Path, mutants: Sequence[Mutant]) -> list[Mutant]:
    """Add mutants to the source below `tree`, each with its switch. Returns those that need a separate build.

    These are mutants outside of functions, such as of constants, and in functions with unnamed parameters. Files are
    replaced, never written to.
    """
    alone: list[Mutant] = []
    for file in sorted({one.file for one in mutants}):
        here = [one for one in mutants if one.file == file]
        text = source(tree, here[0])
        inside = [one for one in here if _around(text, one) is not None]
        alone += [one for one in here if one not in inside]
        if inside:
            write_whole(tree / file, switched(text, inside))
            package = re.search(r"^package (\w+)", text, re.MULTILINE)
            assert package is not None
            write_whole((tree / file).with_name(_FILE), _READER % package[1])
    return alone


@contextmanager
def on(folder: Path, mutant: Mutant) -> Iterator[None]:
    """Switch a mutant on for a block; `folder` is where the program is."""
    switch = folder / _SWITCH
    switch.write_text(mutant.name)
    try:
        yield
    finally:
        switch.unlink()


def switched(text: str, mutants: Sequence[Mutant]) -> str:
    """A Go file with switches. All mutants must be inside of functions whose parameters have names.

    The changed copies stand at the end, each under its mutant's name, so that compiler errors name the mutant.
    """
    switches: dict[int, str] = {}
    copies: list[str] = []
    for mutant in mutants:
        function = _around(text, mutant)
        assert function is not None
        suffix = f"_{mutant.name.replace('-', '_')}"
        call = function.call.replace("(", f"{suffix}(", 1)
        ends = "" if call.startswith("return ") else "\n\t\treturn"
        condition = f'if lockstepMutant == "{mutant.name}" {{'
        switches[function.body] = switches.get(function.body, "") + f"\n\t{condition}\n\t\t{call}{ends}\n\t}}"
        changed = mutated(text, mutant)
        end = function.end + len(changed) - len(text)
        copy = changed[function.start : function.name_end] + suffix + changed[function.name_end : end]
        copies.append(f"\n//line {mutant.name}:1\n{copy}\n")
    for at in sorted(switches, reverse=True):
        text = text[:at] + switches[at] + text[at:]
    return text + "".join(copies)


def _around(text: str, mutant: Mutant) -> _Function | None:
    """The function whose body contains the mutant, if it can call a copy of itself."""
    at = place(text, mutant)
    heads = list(re.finditer(r"^func (?:\((\w+) [^)]*\) )?(\w+)\(", text[:at], re.MULTILINE))
    if not heads:
        return None
    head = heads[-1]
    last = re.compile(r"^}", re.MULTILINE).search(text, head.end())
    if last is None or last.end() < at + len(mutant.find):
        return None
    closing = _closing(text, head.end())
    body = text.index("{\n", closing) + 1
    if at < body:
        return None
    owner = f"{head[1]}." if head[1] else ""
    arguments = list(_arguments(text[head.end() : closing]))
    if "_" in arguments:
        return None
    gives = "return " if text[closing + 1 : body - 1].strip() else ""
    return _Function(head.start(), head.end() - 1, body, last.end(), f"{gives}{owner}{head[2]}({', '.join(arguments)})")


def _closing(text: str, at: int) -> int:
    """The position of the parenthesis that closes the one opened just before `at`."""
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at - 1


def _arguments(parameters: str) -> Iterator[str]:
    """The arguments of a call that passes a function's own parameters on: `a, b int, c ...string` becomes a, b, c..."""
    depth, start = 0, 0
    for at, letter in enumerate(f"{parameters},"):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(letter, 0)
        if letter == "," and not depth:
            name, _, kind = parameters[start:at].strip().partition(" ")
            start = at + 1
            if name:
                yield f"{name}..." if kind.startswith("...") else name
