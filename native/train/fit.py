"""Fits the weights of leads to what sample.c has written, and writes ``weights.h``: fit.py LEADS WEIGHTS; ``none`` for no leads.

``fit.py NUMBERS.txt WEIGHTS`` writes those that tune.c gives.

Of the cards of a position that work, each is given the credit (cheapest one's cards played) / (its own), and a softmax over
all cards of the position is fitted to the credits: not "which card works" but "which works cheaply" (NOTES.md tells why).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SCALE = 24
STEPS = 250
RIDGE = 1e-6
TABLES = (
    ("kind, owners of the three best cards (low bits in 0..2, high bits in 3..5), place", "lead_owners", (3, 64, 4)),
    ("seat from the leader, kind, length up to 4", "lead_length", (4, 3, 5)),
    ("who is void with a trump: 1 the next seat, 2 partner, 4 the last", "lead_ruff", (8,)),
    ("kind, tricks needed (one, all, other), place", "lead_need", (3, 3, 4)),
    ("trumps led or not, ours up to 4 and theirs up to 4", "lead_trumps", (2, 25)),
)
COUNT = sum(int(np.prod(shape)) for _, _, shape in TABLES)

Floats = NDArray[np.float64]


def fitted(path: Path) -> Floats:
    """The weights in units of log odds; the one behind the last is that of nothing, and stays zero."""
    rows = np.fromfile(path, np.int32).reshape(-1, 10)
    starts = np.flatnonzero(np.r_[True, rows[1:, 0] != rows[:-1, 0]])
    sizes = np.diff(np.r_[starts, len(rows)])
    nodes = rows[:, 1].astype(np.float64)
    cheapest = np.minimum.reduceat(np.where(nodes > 0, nodes, np.inf), starts)
    credit = np.where(nodes > 0, np.repeat(cheapest, sizes) / np.where(nodes > 0, nodes, 1), 0)
    total = np.add.reduceat(credit, starts)
    worth = np.repeat(np.isfinite(cheapest), sizes)
    rows, credit = rows[worth], (credit / np.repeat(np.where(total > 0, total, 1), sizes))[worth]
    sizes = sizes[np.isfinite(cheapest)]
    starts = np.r_[0, np.cumsum(sizes)[:-1]]
    features = rows[:, 2:].astype(np.int64)
    weights, mean, square = np.zeros(COUNT + 1), np.zeros(COUNT + 1), np.zeros(COUNT + 1)
    for step in range(1, STEPS + 1):
        score = weights[features].sum(axis=1)
        score -= np.repeat(np.maximum.reduceat(score, starts), sizes)
        chance = np.exp(score)
        chance /= np.repeat(np.add.reduceat(chance, starts), sizes)
        wrong = np.repeat((chance - credit)[:, None], 8, axis=1)
        slope = np.bincount(features.ravel(), wrong.ravel(), COUNT + 1) / len(sizes) + RIDGE * weights
        # Adam (Kingma and Ba, 2015), with a rate that falls to nothing.
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        rate = 0.05 * (1 - step / (STEPS + 1))
        weights -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
        weights[COUNT] = 0
        if step % 100 == 0:
            loss = -(credit * np.log(chance + 1e-12)).sum() / len(sizes)
            print(f"step {step}: {loss:.4f} a position, {len(sizes):,} positions", file=sys.stderr)
    return weights[:COUNT]


def braces(values: NDArray[np.int64]) -> str:
    """C's way to write an array."""
    return "{" + ", ".join(braces(value) if value.ndim else str(value) for value in values) + "}"


def header(weights: Floats) -> str:
    """The file of weights, whole numbers from -127 to 127."""
    whole = np.clip(np.rint(weights * SCALE), -127, 127).astype(np.int64)
    lines = [
        f"/* Weights of leads, learnt from searches of random deals (native/train, NOTES.md): {SCALE} is one unit of log odds.",
        " * kind: 0 no trumps, 1 a side suit, 2 trumps; place: 0 the top card, 1 the bottom, 2 between, 3 the only one. */",
    ]
    at = 0
    for words, name, shape in TABLES:
        size = int(np.prod(shape))
        text = braces(whole[at : at + size].reshape(shape))
        at += size
        lines += ["", f"/* {words} */", f"static const signed char {name}{''.join(f'[{n}]' for n in shape)} ="]
        line = ""
        for word in text.split(" "):
            if len(line) + len(word) > 115:
                lines.append(line.rstrip())
                line = "  "
            line += word + " "
        lines.append(line.rstrip() + ";")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    leads, target = sys.argv[1:]
    if leads.endswith(".txt"):
        weights = np.loadtxt(leads) / SCALE
    else:
        weights = np.zeros(COUNT) if leads == "none" else fitted(Path(leads))
    Path(target).write_text(header(weights), encoding="utf-8")
