"""A file in groups, as dumps and pages show it: its records, what stands beside them, and in each what is read out of turn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bridgespec.codec.anatomy import Apart
from bridgespec.codec.node import ByteNode, Cells, Node, is_array, step


@dataclass(frozen=True)
class Group:
    """A record's number (None for what stands beside the records), its path and its node.

    ``inside`` is what other parts of the file lead to (by ``pos``) and stands among the bytes of this one, in file order.
    """

    number: int | None
    path: str
    node: Node
    inside: tuple[Apart, ...] = ()


def groups_of(root: Node, first: int = 0) -> list[Group]:
    """The records of a file, the first list of them numbered, and what stands beside them, in file order."""
    made: list[Group] = []
    numbered = False
    for child in root.children or ():
        cells = child.children or ()
        if is_array(child) and cells and cells[0].children is not None:
            start = 0 if numbered else first
            made += [Group(None if numbered else n, f"{child.name}[{n}]", cell) for n, cell in enumerate(cells, start)]
            numbered = True
        elif not child.absent:
            made.append(Group(None, child.name, child))
    made.sort(key=lambda group: group.node.start)
    return _placed(made, sorted(_apart(root, made), key=lambda one: one.node.start))


def chosen(groups: list[Group], numbers: list[int]) -> list[Group]:
    """The groups with these numbers, and what their records lead to that stands elsewhere."""
    wanted = set(numbers)
    out: list[Group] = []
    for group in groups:
        if group.number in wanted:
            out.append(replace(group, inside=tuple(one for one in group.inside if one.record in wanted)))
        else:
            out += [Group(None, one.path, one.node) for one in group.inside if one.record in wanted]
    return out


def _apart(root: Node, groups: list[Group]) -> Iterator[Apart]:
    if isinstance(root, ByteNode):
        yield from _instances(root, "", None)
    for group in groups:
        yield from _below(group.node, group.path, group.number)


def _below(node: Node, path: str, record: int | None) -> Iterator[Apart]:
    """What the records in a node lead to."""
    if node.absent or node.children is None or isinstance(node.children, Cells):
        return
    for child in node.children:
        yield from _below(child, step(path, child), record)
    if isinstance(node, ByteNode):
        yield from _instances(node, path, record)


def _instances(node: ByteNode, path: str, record: int | None) -> Iterator[Apart]:
    for one in node.instances:
        if one.stop > one.start:
            where = step(path, one)
            yield Apart(where, one, record)
            yield from _below(one, where, record)


def _placed(groups: list[Group], apart: list[Apart]) -> list[Group]:
    """Each in the group among whose bytes it stands; in one of its own where it stands among none's."""
    starts = [group.node.start for group in groups]
    inside: dict[int, list[Apart]] = {}
    alone: list[Group] = []
    for one in apart:
        at = bisect_right(starts, one.node.start) - 1
        if at >= 0 and one.node.start < groups[at].node.stop:
            inside.setdefault(at, []).append(one)
        else:
            alone.append(Group(None, one.path, one.node))
    found = [replace(group, inside=tuple(inside[at])) if at in inside else group for at, group in enumerate(groups)]
    return sorted([*found, *alone], key=lambda group: group.node.start)
