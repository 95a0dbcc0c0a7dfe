"""Plain words: the prose of this repository avoids phrases that a reader has to read twice.

Prose is pages, docstrings, comments, MUST sentences, help texts and errors. What stands in quotes or backticks is not
prose. docs/glossary.md has the words of Lockstep itself.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]

#: Folders of Python code.
ROOTS = ("harness", "reference_impl", "conformance", "tools", "tests")

#: Prefixes of paths that are not covered yet.
LATER = (
    "harness/lockstep/project/regressions.py",
    "docs/rules/",
    "docs/limits.md",
    "docs/coverage.md",
    "tests/",
)

#: Where errors have upstream's messages.
UPSTREAM_MESSAGES = ("reference_impl/", "harness/lockstep/apiserver/")

#: This file names the phrases.
OWN = "tests/docs/test_vocabulary.py"

#: Phrases as regular expressions, and what to write instead.
BANNED = {
    r"told": "reported, given, passed to",
    r"tells? (of|that|what|how|who|whose|why|whether|when)": "reports, shows, says",
    r"stor(y|ies)": "summary",
    r"ground": "real cluster",
    r"shall": "must, should, will",
    r"who(so)?ever": "the caller that, any client that",
    r"(nobody|somebody|anybody) who": "no client that, a client that",
    r"(that|which|what) (is|are) none": "invalid, not a ...",
    r"(is|are|was|be) no (error|failure|number|json|text|plan|object|valid|whole|part)": "is not a",
    r"has (it|them) asked": "has the question sent",
    r"(is|are|was|were|be) to be had": "exists, can be fetched",
    r"(can|could|cannot|may|might)( not)? be had": "can be fetched",
    r"(makes?|made) no sense": "invalid, malformed",
    r"(a|an|the) \w+ of (its|their|your|one's|his) own": "its own ..., a separate ...",
    r"tr(ied|ies) again": "retried, retries",
    r"(come|comes|came) to rest|at rest": "settles, settled",
    r"afresh|anew": "again, from the server, a new ...",
    r"let be|left alone": "not changed, not evicted, ignored",
    r"(hears?|heard) of": "observes, observed",
    r"(lags?|lagging) behind": "is stale, is older than",
    r"on (its|their) way": "delayed, in flight",
    r"in the dark": "without metrics",
    r"side-cars?": "sidecar",
    r"asks? for (less|more|nothing|too|as much|much)": "requests less, more, nothing",
    r"but for": "except for",
    r"for want of": "for lack of, because of",
    r"lest": "so that ... not",
    r"so (many|much) (of|replicas|pods|seconds|cpu|memory|per)": "this many, that many",
    r"in (upstream's|its|their|go's|prometheus'|whose) (own )?words": "with upstream's message",
    r"(text|words) (is|are) upstream's": "the message is upstream's",
    r"of no (use|concern)( any more)?": "useless, unused",
    r"(has|have) a say": "decides, can refuse",
    r"sees? to (it|that)": "ensures",
    r"lets? go( of)?": "releases, allows the removal of",
    r"turn(s|ed)? (it |a change |the direction )?round": "reverse",
    r"one after another one": "one after the other",
    r"goes by (the|its)": "follows, uses",
    r"is (there )?no more(?= *[.,;:)]| *$)": "no longer exists",
    r"works? (it|them) out": "computes",
    r"as (upstream|apimachinery|go|its kind|json) has it": "as in upstream",
}


class Prose(NamedTuple):
    """A piece of prose: where it begins, and its text."""

    path: str
    line: int
    text: str


class Finding(NamedTuple):
    """A phrase that a piece of prose should not have."""

    path: str
    line: int
    phrase: str
    suggestion: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.phrase!r}: write {self.suggestion}"


_PATTERNS = [(re.compile(rf"\b(?:{phrase})\b", re.IGNORECASE), plain) for phrase, plain in BANNED.items()]
_ANY = re.compile(r"\b(?:" + "|".join(BANNED) + r")\b", re.IGNORECASE)
_NOT_PROSE = re.compile(r"``?[^`]*`?`|\"[^\"]*\"|“[^”]*”", re.DOTALL)


def findings(prose: Prose) -> Iterator[Finding]:
    """The phrases in a piece of prose, also across line breaks."""
    text = re.sub(r"\n[ \t]*(?:#:? )?", "\n", prose.text)
    text = _NOT_PROSE.sub(lambda found: re.sub(r"[^\n]", "\0", found[0]), text)
    flat = text.replace("\n", " ")
    if not _ANY.search(flat):
        return
    for pattern, plain in _PATTERNS:
        for found in pattern.finditer(flat):
            line = prose.line + text.count("\n", 0, found.start())
            yield Finding(prose.path, line, found[0], plain)


def prose_of_page(path: str, text: str) -> Iterator[Prose]:
    """The paragraphs of a Markdown page, without code."""
    text = re.sub(r"^( *)```.*?^\1```", lambda found: "\n" * found[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    line = 1
    for paragraph in re.split(r"(\n\s*\n)", text):
        if paragraph.strip():
            yield Prose(path, line, paragraph)
        line += paragraph.count("\n")


def prose_of_module(path: str, text: str) -> Iterator[Prose]:
    """Comments, docstrings, MUST sentences, help texts and errors of a Python module."""
    for block, start in _comments(text):
        yield Prose(path, start, block)
    errors = not path.startswith(UPSTREAM_MESSAGES)
    for node in ast.walk(ast.parse(text)):
        yield from (Prose(path, line, found) for line, found in _texts(node, errors))


def _comments(text: str) -> Iterator[tuple[str, int]]:
    block: list[str] = []
    start = last = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        if block and token.start[0] != last + 1:
            yield "\n".join(block), start
            block = []
        start = start if block else token.start[0]
        last = token.start[0]
        block.append(token.string)
    if block:
        yield "\n".join(block), start


def _texts(node: ast.AST, errors: bool) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        match node.body:
            case [ast.Expr(value=ast.Constant(value=str(text)) as constant), *_]:
                yield constant.lineno, text
    elif isinstance(node, ast.keyword) and node.arg in ("must", "help", "epilog", "short_help"):
        yield from _constants(node.value)
    elif isinstance(node, ast.Raise) and errors and node.exc is not None:
        yield from _constants(node.exc)
    elif isinstance(node, ast.Assign) and [ast.unparse(one) for one in node.targets] == ["must"]:
        yield from _constants(node.value)


def _constants(node: ast.AST) -> Iterator[tuple[int, str]]:
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.lineno, one.value


def pages() -> list[Path]:
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def modules() -> list[Path]:
    return [path for root in ROOTS for path in sorted((ROOT / root).rglob("*.py"))]


def prose_of(path: Path) -> Iterator[Prose]:
    name = path.relative_to(ROOT).as_posix()
    return (prose_of_page if path.suffix == ".md" else prose_of_module)(name, path.read_text(encoding="utf-8"))


def is_covered(path: Path) -> bool:
    name = path.relative_to(ROOT).as_posix()
    return name != OWN and not name.startswith(LATER)


@pytest.mark.parametrize("folder", ["README.md", "CONTRIBUTING.md", "docs", *ROOTS])
def test_the_vocabulary_is_plain(folder: str) -> None:
    """Where this fails, say it plainly; a word that has to stay stands in the glossary, or in quotes."""
    paths = [path for path in (*pages(), *modules()) if is_covered(path)]
    mine = [path for path in paths if path.relative_to(ROOT).parts[0] == folder]
    found = sorted({finding for path in mine for prose in prose_of(path) for finding in findings(prose)})
    assert not found, "\n" + "\n".join(map(str, found))


def test_a_phrase_is_found_where_it_stands() -> None:
    page = "# Title\n\nIt is plain.\n\n```text\nshall\n```\n\nA failure is told in\nthe status; `shall`.\n"
    module = '"""First line.\n\nWhoever reads it.\n"""\n\n# is "told"\n# who shall\nmust = "It MUST be left\t alone."\n'
    module = module.replace("\t ", " ") + 'raise ValueError(f"{1}: this is no plan")\n'
    found = [one for prose in prose_of_page("a.md", page) for one in findings(prose)]
    assert [(one.line, one.phrase) for one in found] == [(9, "told")]
    found = [one for prose in prose_of_module("a.py", module) for one in findings(prose)]
    assert sorted((one.line, one.phrase) for one in found) == [
        (3, "Whoever"),
        (7, "shall"),
        (8, "left alone"),
        (9, "is no plan"),
    ]


def test_what_is_left_for_later_exists() -> None:
    names = [path.relative_to(ROOT).as_posix() for path in (*pages(), *modules())]
    assert not [prefix for prefix in LATER if not any(name.startswith(prefix) for name in names)]
