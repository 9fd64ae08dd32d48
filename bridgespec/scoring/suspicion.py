"""Results that were probably entered wrongly, each as a finding with its reason.

`suspicions` is the entry. It compares the score of a result with its contract; the lead and the tricks with the deal; and a result
with the other results of its contestants (one board twice) and of its table and round (the set of boards, the directions).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bridgespec.diagnostic import Diagnostic, Severity, define
from bridgespec.model.board import Vulnerability, standard_vulnerability
from bridgespec.model.cards import Card, Seat, Side, Strain
from bridgespec.model.contract import result_text
from bridgespec.model.deal import Deal
from bridgespec.model.score import board_points
from bridgespec.model.tricks import Tricks
from bridgespec.scoring.result import ResultOrigin, TableResult
from bridgespec.scoring.session import numbered_by_direction, unmatched
from bridgespec.scoring.sheet import finding

LEAD = define(
    "lead-not-held",
    Severity.WARNING,
    """a lead that is not in the leader's hand

    The card that was entered as the opening lead is held by another seat than the one on declarer's left. The declarer, the board
    or the card was entered wrongly; where another declarer or another board fits, the finding names it.
    """,
)
SCORE = define(
    "score-mismatch",
    Severity.WARNING,
    """a score that is not that of its contract

    Contract, declarer, result and vulnerability give another score than the one that is stated. One of them was entered wrongly.
    """,
)
TRICKS = define(
    "far-from-double-dummy",
    Severity.WARNING,
    """a result far from double dummy

    The declarer won so many more or fewer tricks than double dummy, and than others in the same strain, that the result, the
    declarer or the board was probably entered wrongly.
    """,
)
DIRECTIONS = define(
    "directions-exchanged",
    Severity.WARNING,
    """North-South and East-West exchanged

    The contestants sit the other way round than on the other boards of their round, or than in all other rounds.
    """,
)
WRONG_BOARD = define(
    "wrong-board",
    Severity.WARNING,
    """a board that does not belong to its round

    The table has played another set of boards in this round, or the set as other tables have it lacks a board and has this one in
    its place; or the record of the result has other cards than most records of the board.
    """,
)
PAIR_TWICE = define(
    "pair-twice",
    Severity.WARNING,
    """a contestant has two results of one board

    A contestant meets a board once, and never itself. One of the two results belongs to another contestant or to another board.
    """,
)
RESULT_TWICE = define(
    "result-twice",
    Severity.ERROR,
    """a result that was entered twice

    Two rows have the same board and the same contestants. The scores count both until one is removed.
    """,
)
MISSING = define(
    "result-missing",
    Severity.ERROR,
    """a result that is missing

    A table has results of a round's other boards and none of this one, or a contestant that is listed has no result at all. A
    board that was not played has a row that says so (``not played``), or an adjusted score.
    """,
)
ENTER = "enter the result, a row that says `not played`, or a ruling"
FAR = 5
"""The least difference between tricks and double dummy that is suspicious: ten of 10,500 results of a server had it."""


@dataclass(frozen=True, slots=True)
class BoardFacts:
    """The known deals, double-dummy tables and vulnerabilities of a session's boards, by number.

    ``after_lead`` returns the declarer's tricks by double dummy for a deal, a strain, a declarer and the card led; None without
    a solver.
    """

    deals: Mapping[int, Deal] = field(default_factory=dict)
    tricks: Mapping[int, Tricks] = field(default_factory=dict)
    vulnerabilities: Mapping[int, Vulnerability] = field(default_factory=dict)
    after_lead: Callable[[Deal, Strain, Seat, Card], int] | None = None

    def vulnerability(self, number: int) -> Vulnerability:
        """Return the vulnerability of a board: the known one, else the usual one of its number."""
        return self.vulnerabilities.get(number, standard_vulnerability(number))

    def leads(self, number: int, result: TableResult, declarer: Seat | None) -> bool:
        """Whether the lead of a result is in the hand of the seat that would lead against ``declarer`` on the board ``number``."""
        deal = self.deals.get(number)
        return deal is not None and result.lead is not None and declarer is not None and deal.holder(result.lead) is declarer.next


def suspicions(results: Sequence[TableResult], facts: BoardFacts, teams: bool = False) -> list[Diagnostic]:
    """Return the findings about results, in the order of the results. In a match of ``teams`` each contestant has two results of a
    board.

    >>> from bridgespec.model.contract import Contract
    >>> spades = Contract.parse("4S")
    >>> [one.code for one in suspicions([TableResult(1, "1", "2", spades, Seat.NORTH, 10, 430, True)], BoardFacts())]
    ['score-mismatch']
    """
    field_tricks: dict[tuple[int, object, Side], list[int]] = defaultdict(list)
    for one in results:
        if one.contract is not None and one.declarer is not None and one.tricks is not None:
            field_tricks[one.number, one.contract.strain, one.declarer.side].append(one.tricks)
    found: list[tuple[int, Diagnostic]] = []
    for index, result in enumerate(results):
        # For a record with other cards, lead and double dummy of the board are meaningless: one finding in place of four.
        other_cards = _other_cards(result, facts)
        own = [_one_sided(result), other_cards]
        if other_cards is None:
            own += [_score(result, facts), _lead(result, facts, results), _tricks(result, facts, field_tricks)]
        found += ((index, one) for one in own if one is not None)
    # These yield the index of a result with each finding; the sort below puts all findings in the order of the results.
    found += _twice(results, teams)
    # Not in a match, in which the same contestants sit in both directions.
    found += _unmatched(results) if teams else _rounds(results)
    found += _undealt(results, facts)
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def shown(result: TableResult) -> str:
    """Return a description of a result for messages: ``board 3, 4 against 7, 4SX by N -1``."""
    words = f"board {result.number}"
    if result.ns or result.ew:
        words += f", {result.ns or 'nobody'} against {result.ew or 'nobody'}"
    if result.contract is not None:
        by = f" by {result.declarer.letter}" if result.declarer is not None else ""
        made = f" {result_text(result.contract, result.tricks)}" if result.tricks is not None else ""
        words += f", {result.contract}{by}{made.rstrip()}"
    return words


def _one_sided(result: TableResult) -> Diagnostic | None:
    """Return a finding if a result with a score names the contestant of one side only."""
    if result.score is None or bool(result.ns) == bool(result.ew):
        return None
    side = "East-West" if result.ns else "North-South"
    return finding(MISSING, f"{shown(result)}: there is a score, and nobody is named as {side}", result.at)


def absent(entrants: Iterable[str], results: Iterable[TableResult]) -> Iterator[Diagnostic]:
    """Yield a finding for each contestant in ``entrants``, by direction and name (``NS3``) or name alone, without a result."""
    there: set[str] = set()
    for one in results:
        there |= {one.ns, one.ew, f"NS{one.ns}", f"EW{one.ew}", one.section + one.ns, one.section + one.ew}
    for name in entrants:
        if name not in there:
            yield finding(MISSING, f"contestant {name} is listed, and has no result", ResultOrigin())


def _other_cards(result: TableResult, facts: BoardFacts) -> Diagnostic | None:
    """Return a finding if the record of a result has another deal than the board."""
    deal = facts.deals.get(result.number)
    if result.deal is None or deal is None or result.deal == deal:
        return None
    numbers = [number for number, other in facts.deals.items() if other == result.deal]
    reason = f"they are the cards of board {numbers[0]}" if numbers else None
    message = f"{shown(result)}: its cards are not those that other records of the board have"
    return finding(WRONG_BOARD, message, result.at, reason)


def _score(result: TableResult, facts: BoardFacts) -> Diagnostic | None:
    """Return a finding if the stated score of a result is not that of its contract, with a likely reason as the help."""
    contract, declarer, tricks = result.contract, result.declarer, result.tricks
    if not result.stated or result.ruling is not None or contract is None:
        return None
    if not contract.is_passed_out and (declarer is None or tricks is None):
        return None
    vulnerability = facts.vulnerability(result.number)
    worth = board_points(contract, declarer, tricks or 0, vulnerability)
    if worth == result.score:
        return None
    reason = None
    # The likeliest mistake first: a wrong side, another vulnerability, then another number of tricks.
    if result.score == -worth:
        reason = "the score of the other side: declarer or directions are exchanged"
    elif any(board_points(contract, declarer, tricks or 0, other) == result.score for other in Vulnerability):
        reason = "the score at another vulnerability: is it another board?"
    else:
        fitting = [made for made in range(14) if board_points(contract, declarer, made, vulnerability) == result.score]
        if fitting:
            reason = f"{contract} {result_text(contract, fitting[0])} gives the stated score"
    message = f"{shown(result)}: the score is given as {result.score}, and the contract gives {worth}"
    return finding(SCORE, message, result.at, reason)


def _lead(result: TableResult, facts: BoardFacts, results: Sequence[TableResult]) -> Diagnostic | None:
    """Return a finding if the lead is not in the leader's hand; the help names a declarer or a board of the round that fits it."""
    deal, declarer = facts.deals.get(result.number), result.declarer
    if deal is None or declarer is None or result.lead is None or facts.leads(result.number, result, declarer):
        return None
    holder = deal.holder(result.lead)
    if holder is None:
        return None
    others = sorted({one.number for one in results if one.number != result.number and _same_round(one, result)})
    boards = [number for number in others if facts.leads(number, result, declarer)]
    # The leader sits on declarer's left (Law 41A), so the declarer of this lead is the seat before its holder.
    fits = next(seat for seat in Seat if seat.next is holder)
    reasons = [f"{fits.name.title()} as declarer fits the lead"]
    reasons += [f"board {number}, which the table played in this round, fits the lead" for number in boards[:1]]
    held = f"{result.lead} was led, which {holder.name.title()} holds and not {declarer.next.name.title()}"
    return finding(LEAD, f"{shown(result)}: {held}", result.at, "; or ".join(reasons))


def _same_round(one: TableResult, other: TableResult) -> bool:
    """Whether two results are of one table in one round; False where the round is not known."""
    return bool(one.round) and (one.section, one.round, one.table) == (other.section, other.round, other.table)


def _tricks(
    result: TableResult, facts: BoardFacts, field_tricks: Mapping[tuple[int, object, Side], Sequence[int]]
) -> Diagnostic | None:
    """Return a finding if the tricks are `FAR` from double dummy and not near those of others in the same strain."""
    table = facts.tricks.get(result.number)
    if (
        table is None
        or result.contract is None
        or result.declarer is None
        or result.tricks is None
        or result.contract.is_passed_out
    ):
        return None
    best = table.get(result.contract.strain, result.declarer)
    if best is None or abs(result.tricks - best) < FAR:
        return None
    if facts.after_lead is not None and result.lead is not None and facts.leads(result.number, result, result.declarer):
        # A lead may cost more tricks than all the rest of the play.
        after = facts.after_lead(facts.deals[result.number], result.contract.strain, result.declarer, result.lead)
        if abs(result.tricks - after) < FAR:
            return None
    others = list(field_tricks[result.number, result.contract.strain, result.declarer.side])
    # Without the result's own tricks, which are in the list once.
    others.remove(result.tricks)
    # Where a third of the others are within a trick, the play was difficult, and the result is not suspicious.
    if sum(abs(other - result.tricks) <= 1 for other in others) >= max(1, len(others) // 3):
        return None
    swapped = [seat for seat in Seat if abs((table.get(result.contract.strain, seat) or 0) - result.tricks) <= 1]
    reason = f"with {swapped[0].name.title()} as declarer it would be near" if swapped else None
    message = f"{shown(result)}: {result.tricks} tricks, and double dummy gives {best}"
    return finding(TRICKS, message, result.at, reason)


def _twice(results: Sequence[TableResult], teams: bool) -> Iterator[tuple[int, Diagnostic]]:
    """Yield the index and a finding for each result that has the board and a contestant of an earlier one, or whose contestant
    plays against itself.
    """
    first: dict[tuple[object, ...], int] = {}
    by_direction = numbered_by_direction(results)
    two_winners = by_direction or _apart(results)
    for index, result in enumerate(results):
        if not result.ns or not result.ew:
            continue
        same = (result.number, result.section, result.ns, result.ew, result.table if teams else "", result.round if teams else "")
        if same in first:
            before = shown(results[first[same]])
            message = f"{shown(result)}: the table has a result of this board already, {before}"
            yield index, finding(RESULT_TWICE, message, result.at)
            # The contestants of a repeated row are those of the first, and would be reported again below.
            continue
        first[same] = index
        if result.ns == result.ew and not by_direction:
            yield index, finding(PAIR_TWICE, f"{shown(result)}: {result.ns} plays against itself", result.at)
            continue
        for side in () if teams else Side:
            who = result.contestant(side)
            key = result.number, result.section, who, side if two_winners else None
            if key in first:
                message = f"{shown(result)}: {who} has a result of this board already, {shown(results[first[key]])}"
                yield index, finding(PAIR_TWICE, message, result.at)
            else:
                first[key] = index


def _undealt(results: Sequence[TableResult], facts: BoardFacts) -> Iterator[tuple[int, Diagnostic]]:
    """Yield the index and a finding for each result of a board without a deal, if three quarters of the boards have one."""
    numbers = {one.number for one in results}
    undealt = numbers - facts.deals.keys()
    # With more boards without a deal, it is the file of deals that is incomplete.
    for index, one in enumerate(results if 4 * len(undealt) <= len(numbers) else ()):
        if one.number in undealt:
            message = f"{shown(one)}: there is no deal of this board, and there are deals of {len(numbers - undealt)} others"
            yield index, finding(WRONG_BOARD, message, one.at)


def _unmatched(results: Sequence[TableResult]) -> Iterator[tuple[int, Diagnostic]]:
    """Yield the index and a finding for each result without a result of the other table of its match."""
    for index in unmatched(results):
        one = results[index]
        if one.is_played and one.ns and one.ew:
            message = f"{shown(one)}: the other table of the match, {one.ew} against {one.ns}, has no result of this board"
            yield index, finding(MISSING, message, one.at, ENTER)


def _apart(results: Iterable[TableResult]) -> bool:
    """Whether at least three quarters of the contestants sit in one direction throughout."""
    # Not all: one exchanged row must not turn a two-winner movement into a one-winner one.
    return len(_in_both_directions(results)) * 4 <= len({(one.section, name) for one in results for name in (one.ns, one.ew)})


def _in_both_directions(results: Iterable[TableResult]) -> set[tuple[str, str]]:
    """Return section and name of the contestants that sit in both directions."""
    ns = {(one.section, one.ns) for one in results if one.ns}
    return ns & {(one.section, one.ew) for one in results if one.ew}


def _rounds(results: Sequence[TableResult]) -> Iterator[tuple[int, Diagnostic]]:
    """Yield the index and a finding for each result that contradicts others of its table and round, and for missing results."""
    yield from _exchanged_throughout(results)
    blocks: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for index, result in enumerate(results):
        if result.round and result.table:
            blocks[result.section, result.round, result.table].append(index)
        elif result.ns and result.ew:
            # Without a round or a table, the results of two contestants against each other are taken for those of one round.
            blocks[result.section, result.round, result.table, frozenset((result.ns, result.ew))].append(index)
    sets = _board_sets(results, blocks.values())
    for indexes in blocks.values():
        block = [(index, results[index]) for index in indexes]
        pairs = Counter((one.ns, one.ew) for _, one in block)
        usual = pairs.most_common(1)[0][0]
        for index, one in block:
            if (one.ns, one.ew) == usual[::-1] and pairs[usual] > pairs[one.ns, one.ew]:
                message = f"{shown(one)}: on the other boards of the round {usual[0]} sits North-South and {usual[1]} East-West"
                yield index, finding(DIRECTIONS, message, one.at)
        yield from _other_boards(block, sets, usual)


def _other_boards(
    block: Sequence[tuple[int, TableResult]], sets: Sequence[frozenset[int]], pair: tuple[str, str]
) -> Iterator[tuple[int, Diagnostic]]:
    """Yield the findings of the results of ``pair`` at a table in a round, by index, whose boards differ from the set of boards of
    which most are played there.
    """
    numbers = {one.number for _, one in block}
    best = max(sets, key=lambda one: len(one & numbers), default=frozenset())
    if len(best & numbers) * 2 <= len(numbers) or numbers == best:
        return
    missing = best - numbers
    for index, one in block:
        if one.number not in best:
            lacks = f", and {_listed(missing)} is missing" if missing else ""
            where = f"in round {one.round} the table plays" if one.round and one.table else "they play"
            message = f"{shown(one)}: {where} boards {_listed(best)}{lacks}"
            yield index, finding(WRONG_BOARD, message, one.at)
    if missing and numbers <= best:
        (_, first), (index, last) = block[0], block[-1]
        names = [f"{name} {value}, " for name, value in (("round", first.round), ("table", first.table)) if value]
        message = f"{''.join(names)}{pair[0]} against {pair[1]}: board {_listed(missing)} is missing"
        yield index, finding(MISSING, message, last.at, ENTER)


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def _board_sets(results: Sequence[TableResult], blocks: Iterable[Sequence[int]]) -> list[frozenset[int]]:
    """Return disjoint sets of boards that at least two tables play in a round, the most frequent first. ``blocks`` has the indexes
    of the results of each table and round.
    """
    counts = Counter(frozenset(results[index].number for index in block) for block in blocks)
    found: list[frozenset[int]] = []
    for numbers, many in counts.most_common():
        if many > 1 and not any(numbers & other for other in found):
            found.append(numbers)
    return found


def _exchanged_throughout(results: Sequence[TableResult]) -> Iterator[tuple[int, Diagnostic]]:
    """Yield the index and a finding for each result in which both contestants sit in a direction that they have on no other board,
    if most contestants never change theirs.
    """
    seated: Counter[tuple[str, str, Side]] = Counter()
    for one in results:
        for side in Side:
            seated[one.section, one.contestant(side), side] += 1
    if not _apart(results):
        return
    for index, one in enumerate(results):
        names = [(side, one.section, one.contestant(side)) for side in Side]
        odd = [seated[section, who, side] == 1 < seated[section, who, side.opponents] for side, section, who in names]
        if all(odd):
            message = f"{shown(one)}: on all other boards {one.ns} sits East-West and {one.ew} North-South"
            yield index, finding(DIRECTIONS, message, one.at)
