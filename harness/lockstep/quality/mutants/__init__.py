"""Mutants: controllers with one deliberate mistake each, which the scenarios must catch.

A scenario that no wrong controller fails is worth nothing, and a suite is as good as the mistakes that it catches. Both
implementations are mutated. Unmodified upstream and the reference show that the suite accepts correct controllers;
their mutants show that it rejects wrong ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lockstep.quality.mutants.bench import bench_for
from lockstep.quality.mutants.catalogue import KINDS, Catalogue, MutantError, controllers, load, select
from lockstep.quality.mutants.proof import Prover, Result
from lockstep.quality.mutants.suite import Stage

__all__ = ["KINDS", "MutantError", "Result", "controllers", "mutants"]


def _silent(_: str) -> None:
    """Shows no progress."""


def mutants(
    names: Sequence[str] = (),
    progress: Callable[[str], None] = _silent,
    of: str | None = None,
    controller: str | None = None,
    *,
    suite: bool = False,
) -> list[Result]:
    """Run the suite on the mutants whose name or id matches one of `names` (globs; all if there is none).

    `suite` takes the built-in suite, also in a project with scenarios of its own. `of` restricts them to one kind,
    "reference" or "upstream", and `controller` to one controller. `progress` gets one line for each mutant. Raises
    MutantError on unknown names and on mutants that cannot be made, and BuildFailed if upstream cannot be built.
    """
    catalogues = _catalogues(of, controller)
    chosen = select(catalogues, names)
    results: list[Result] = []
    for catalogue in catalogues:
        mine = [one for one in chosen if (one.kind, one.controller) == (catalogue.kind, catalogue.controller)]
        if not mine:
            continue
        with (
            bench_for(catalogue.kind, catalogue.release, mine, progress) as bench,
            Stage(bench.reference, suite=suite) as stage,
        ):
            prover = Prover(bench, stage.run, catalogue, progress, suite=suite)
            progress(f"{catalogue.kind}: the unmodified {catalogue.controller} controller first")
            prover.establish(mine)
            for mutant in mine:
                results.append(prover.prove(mutant))
                progress(f"{len(results)}/{len(chosen)} {_line(results[-1])}")
    return results


def _catalogues(of: str | None, controller: str | None) -> list[Catalogue]:
    known = controllers()
    if controller is not None and controller not in known:
        raise MutantError(f"there are no mutants of controller {controller!r}; known: {', '.join(known)}")
    wanted = known if controller is None else [controller]
    return [load(kind, one) for kind in ((of,) if of else KINDS) for one in wanted]


def _line(result: Result) -> str:
    if not result.killed_by:
        return f"{result.name}: SURVIVED {result.tried} scenarios: {result.says}"
    return f"{result.name}: caught by {result.killed_by[0]}, scenario {result.tried} tried ({result.seconds:.1f} s)"
