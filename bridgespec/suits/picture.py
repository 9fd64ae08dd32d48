"""Draw the best play of a combination as SVG: the hands, a bar for the chance of each number of tricks, and the lines in words."""

from __future__ import annotations

from html import escape
from textwrap import wrap

from bridgespec.suits.best_play import Goal, SuitPlay

WIDTH = 640
_LEFT, _BAR, _LINE, _WORDS = 200, 150, 18, 62
_STYLE = (
    "text{font:15px system-ui,sans-serif;fill:#222}.cards{font-weight:600;font-size:18px}"
    ".small{font-size:12px;fill:#555}.all{fill:#e4e4e4}.chance{fill:#4a7fb5}"
)


def picture(answer: SuitPlay) -> str:
    """Return an SVG document for the best play of a combination, with the goals in the order of ``answer.goals``."""
    ours = answer.combination
    parts, y = [], 24
    for goal in answer.goals:
        drawn, height = _goal(goal, y)
        parts += drawn
        y += height
    height = max(y + 6, 150)
    hands = [
        ("small", 34, "North"),
        ("cards", 54, ours.north.ranks or "-"),
        ("small", 78, f"hidden {ours.hidden.ranks or '-'}"),
        ("small", 104, "South"),
        ("cards", 124, ours.south.ranks or "-"),
    ]
    texts = [f'<text class="{kind}" x="14" y="{at}">{escape(text)}</text>' for kind, at, text in hands]
    title = escape(f"North {ours.north.ranks or '-'}, South {ours.south.ranks or '-'}: chances and lines of play")
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
            f"<title>{title}</title>",
            f"<style>{_STYLE}</style>",
            *texts,
            *parts,
            "</svg>\n",
        ]
    )


def _goal(goal: Goal, y: int) -> tuple[list[str], int]:
    """Return the SVG elements of a goal at the vertical position ``y``, and their height: its value, the words of its line, and a
    bar unless the goal is the expected number.
    """
    if goal.tricks is None:
        name, value, share = "expected", f"{float(goal.value):.3f}", 0.0
    else:
        name = f"{goal.tricks} trick{'s' if goal.tricks > 1 else ''}"
        value, share = f"{float(100 * goal.value):.2f}%", float(goal.value)
    value += "" if goal.is_exact else " or more"
    parts = [f'<text x="{_LEFT}" y="{y + 12}">{name}</text>']
    if goal.tricks is not None:
        parts.append(f'<rect class="all" x="{_LEFT + 80}" y="{y}" width="{_BAR}" height="14"/>')
        parts.append(f'<rect class="chance" x="{_LEFT + 80}" y="{y}" width="{_BAR * share:.1f}" height="14"/>')
    parts.append(f'<text x="{_LEFT + 90 + _BAR}" y="{y + 12}">{value}</text>')
    lines = wrap(goal.words, _WORDS)
    for number, line in enumerate(lines, 1):
        parts.append(f'<text class="small" x="{_LEFT}" y="{y + 12 + _LINE * number}">{escape(line)}</text>')
    return parts, 26 + _LINE * len(lines)
