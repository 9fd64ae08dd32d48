"""Results scored: files and documents in, a `ScoredSession` with its findings out, as the command ``score``.

`score` is the public function; `checked_session` scores what `bridgespec.score_sources` has read and checks it for wrong entries.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from bridgespec.diagnostic import Guess, hint
from bridgespec.engines import Folders, engine
from bridgespec.errors import UsageError
from bridgespec.model.document import Document
from bridgespec.score_sources import CsvText, SessionSource, add_document, plain, read_results, refuse_doubled, text_of
from bridgespec.scoring.comparison import Comparison, Method
from bridgespec.scoring.session import Entrant, EventRules, ScoredSession, refuse_unfit, score_session
from bridgespec.scoring.sheet import CellError, declarations
from bridgespec.scoring.stated import differences, read_entrants
from bridgespec.scoring.suspicion import absent, suspicions
from bridgespec.scoring.victory import VictoryScale
from bridgespec.writing import read_whole


def score(
    *sources: Document | str | os.PathLike[str],
    method: str = "matchpoints",
    winners: int | None = None,
    victory: str | os.PathLike[str] | None = None,
    entrants: Mapping[str, Entrant] | str | os.PathLike[str] | None = None,
    arrow_switched: Sequence[str | int] = (),
    per_board: bool = False,
    solve: bool = False,
    format: str | None = None,
    specs: Folders = (),
    **options: Any,
) -> ScoredSession:
    """Return the ranking and the travellers of results, from documents, files of boards, CSV travellers or Bridgemate databases.

    ``method`` is matchpoints, cross-imps, butler or teams; ``options`` are those of `Method` (``ascherman``, ``total``, ...).
    ``victory`` is "wbf" or a CSV file of margins and points, ``entrants`` a CSV file of contestants (docs/scoring.md). A row that
    cannot be read is left out and is one of the session's ``findings``, beside the results that are probably wrong; with ``solve``
    also those far from double dummy. UsageError where there is no result, and for a method that does not exist.

    >>> session = score("tests/scoring/samples/club.csv")
    >>> [(one.rank, one.contestant, round(float(one.final), 2)) for one in session.standings[:2]], session.findings
    ([(1, ('NS', '3'), 71.25), (2, ('NS', '1'), 55.0)], ())
    """
    known = engine(tuple(specs))
    source = SessionSource()
    for one in sources:
        add_document(source, one) if isinstance(one, Document) else read_results(source, known, os.fspath(one), format)
    if not any(one.is_played for one in source.results):
        raise UsageError(f"there is no result to score: {source.findings[0]}" if source.findings else "there is no result to score")
    listed = entrants if isinstance(entrants, Mapping) or entrants is None else entrants_of(os.fspath(entrants))
    scale = None if victory is None else scale_of(os.fspath(victory))
    if method not in list(Comparison):
        raise UsageError(f"there is no method {method!r}; the methods are {', '.join(Comparison)}")
    known_options = {field.name for field in fields(Method)}
    if unknown := options.keys() - known_options:
        first = min(unknown)
        named = _OF_COMMAND.get(first)
        meant = hint(first, sorted({*_OPTIONS, *known_options})) if named is None else f"; {Guess(first, named)}"
        raise UsageError(f"there is no option {first!r} of the methods{meant}")
    rules = EventRules(Method(Comparison(method), **options), winners, frozenset(map(str, arrow_switched)), scale, per_board)
    return checked_session(source, rules, listed or {}, solve)


_OPTIONS = ("method", "winners", "victory", "entrants", "arrow_switched", "per_board", "solve", "format", "specs")
_OF_COMMAND = {"vp": "victory", "pairs": "entrants", "arrow_switch": "arrow_switched", "drop": "extremes", "datum": "rounding"}
"""The argument of `score` or `Method` for each option of the command ``score`` that has another name."""


def scale_of(name: str) -> VictoryScale:
    """Return the victory point scale of the WBF for ``wbf``, else that of a CSV file; UsageError for a file without a scale."""
    if name.lower() == "wbf":
        return VictoryScale()
    try:
        text = CsvText(text_of(plain(read_whole(name))))
        # The first line may name the columns.
        head = [text.head] if text.head and text.head[0].strip().isdecimal() else []
        if text.faults:
            raise UsageError(f"{name}: line {text.faults[0][0]}: {text.faults[0][1]}")
        return VictoryScale.of_rows([*head, *(row for _, row in text.rows)])
    except (ValueError, IndexError):
        raise UsageError(
            f"{name}: no table of victory points: rows of a margin and the winner's points, both ascending, from 0"
        ) from None


def entrants_of(path: str) -> dict[str, Entrant]:
    """Return the contestants of a CSV file by their names; UsageError for a file without the columns, or with a wrong cell."""
    table = declarations().entrants
    text = CsvText(text_of(plain(read_whole(path))))
    if table.missing(text.head):
        wanted = ", ".join(table.columns)
        raise UsageError(f"{path}: no list of contestants: its first line has to name the columns ({wanted}), at least contestant")
    refuse_doubled(table, text.head, path)
    for line, reason in text.faults:
        raise UsageError(f"{path}: line {line} is no contestant: {reason}")
    try:
        return read_entrants(table.rows(text.head, (row for _, row in text.rows)))
    except CellError as error:
        raise UsageError(f"{path}: {error}") from None
    except ValueError:
        raise UsageError(f"{path}: carry-over and penalty are numbers, a penalty also a share of a top: 10%") from None


def checked_session(source: SessionSource, rules: EventRules, entrants: Mapping[str, Entrant], solve: bool) -> ScoredSession:
    """Score a session and check it for wrong entries; with ``solve`` also against double-dummy results.

    The notes of the returned session end with the checks that were impossible, with the reasons.
    """
    refuse_unfit(rules, source.results)
    session = score_session(source.results, rules, entrants)
    facts, notes = source.facts_and_notes(solve)
    found = [*source.findings, *suspicions(source.results, facts, rules.method.comparison is Comparison.TEAMS)]
    found += absent(entrants, source.results)
    found += differences(session, source.stated)
    return replace(session, findings=tuple(found), notes=(*session.notes, *source.notes, *notes))
