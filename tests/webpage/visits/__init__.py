"""Visits to pages, step by step, with what is seen after each, as files of this folder.

The page's scripts run in Node.js, in a document of their own (``tests/webpage/document.js``) and with the real solver. After each
step a file lists what the page asks of the browser (``!``), its title and focus where they change (``#``), and the elements
that were removed (``-``; many are counted) and added (``+``), a line each. Record a visit again after an intended change, and
review the difference:

    python -m tests.webpage.visits [NAME...]
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from bridgespec.engines import engine
from bridgespec.targets.javascript.readers import readers
from bridgespec.webpage import texts
from bridgespec.webpage.scripts import bundle
from tests.webpage.running import NODE, SAMPLES

FOLDER = Path(__file__).parent
Step = tuple[Any, ...]
FEW = 3
"""So many lines that have gone are listed."""


@dataclass(frozen=True)
class Visit:
    """The documents of a page, the steps, and what is unusual: formats that can be opened, a solver that fails, kept settings."""

    documents: tuple[Any, ...]
    steps: tuple[Step, ...]
    formats: tuple[str, ...] = ()
    more: dict[str, str] = field(default_factory=dict)


def sample(name: str, boards: int = 99) -> Any:
    """A sample, or its first boards, as the published JSON, from its twin."""
    found = json.loads((SAMPLES / f"{name}.json").read_text("utf-8"))
    return {**found, "boards": found["boards"][:boards]}


def text(name: str) -> dict[str, str]:
    """A sample as a file that is opened."""
    return {"name": Path(name).name, "text": (SAMPLES / name).read_text("latin-1")}


def went(visit: Visit, folder: Path) -> str:
    """Make the visit and return it as it went."""
    script = folder / "visit.mjs"
    script.write_text(bundle(FOLDER.parent / "visit.js"), "utf-8")
    asked = {"title": "A page", "documents": visit.documents, "texts": texts(), "steps": visit.steps, **visit.more}
    if visit.formats:
        (folder / "readers.mjs").write_text(readers([engine().spec(name) for name in visit.formats]), "utf-8")
        asked["readers"] = str(folder / "readers.mjs")
    assert NODE is not None
    done = subprocess.run([NODE, str(script)], input=json.dumps(asked), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return "".join(f"{line}\n" for line in _lines(visit.steps, json.loads(done.stdout)))


def _lines(steps: tuple[Step, ...], seen: list[dict[str, Any]]) -> Iterator[str]:
    before: dict[str, Any] = {"lines": [], "title": "", "focus": ""}
    for step, after in zip(steps, seen, strict=True):
        shown = " ".join(one if isinstance(one, str) else json.dumps(one) for one in step)
        yield f"> {shown[:100].splitlines()[0]}"
        yield from (f"! {line}" for line in after["heard"])
        yield from (f"# {name} {after[name]}" for name in ("title", "focus") if after[name] != before[name])
        for kind, start, stop, first, last in SequenceMatcher(None, before["lines"], after["lines"], False).get_opcodes():
            if kind != "equal":
                gone = before["lines"][start:stop]
                yield from (f"- {line}" for line in gone) if len(gone) <= FEW else [f"- {len(gone)} lines"]
                yield from (f"+ {line}" for line in after["lines"][first:last])
        before = after


HANDS = {
    "west": "AK.432.KQ.A",
    "north": "QJ.AK5.432.",
    "east": "32.QJ.AJT.2",
    "south": "54.T6.65.K3",
}
"""Eight cards each."""
PLAYERS = ["Wilma <b>", None, "Esther", "Sam"]

EDGES = {
    "event": "An event",
    "boards": [
        {
            "number": 1,
            "deal": {
                "north": "AKQJT98765432...",
                "east": ".AKQJT98765432..",
                "south": "..AKQJT98765432.",
                "west": "...AKQJT98765432",
            },
            "contract": "7NTX",
            "declarer": "north",
            "result": 0,
            "par": "NS 7NT=",
            "event": "An event",
        },
        {
            "number": 2,
            "deal": HANDS,
            "dealer": "west",
            "vulnerability": "both",
            "contract": "Pass",
            "players": PLAYERS,
            "event": "Another",
        },
        {"number": 2, "deal": HANDS, "contract": "3SXX", "declarer": "west", "result": 6, "players": PLAYERS, "event": "Another"},
        {"number": 2, "deal": HANDS, "contract": "4H", "declarer": "south", "result": 10, "event": "Another"},
        {"number": 2, "deal": HANDS, "contract": "1NT", "declarer": "east", "score": -90, "event": "Another"},
        {"number": 2, "deal": {**HANDS, "west": "AK.432.KJ.A", "east": "32.QJ.AQT.2"}, "event": "Another", "round": "3"},
        {"deal": {"north": "AK5.432.QJ9876.2"}, "comments": [{"text": "Lead the ♠A, then ♥2"}, {"text": " "}], "round": "Final"},
        {
            "deal": {"north": "AK5...", "south": "QJ4..."},
            "dealer": "south",
            "tables": [{"name": "Scores", "columns": [{"name": "Pair"}, {"name": "MP"}], "rows": [["1", "50"], ["2", ""]]}],
        },
        {"number": 7, "contract": "2D", "declarer": "east", "teams": ["Home", "Away"]},
        {
            "number": 8,
            "deal": HANDS,
            "tricks": {"N": {"NT": 4, "S": 3, "H": 14}, "S": {"NT": 4}},
            "contract": "1C",
            "declarer": "north",
        },
        {"number": 9, "deal": HANDS, "tricks": {seat: dict.fromkeys(("NT", "S", "H", "D", "C"), 0) for seat in "NESW"}},
        {
            "number": 10,
            "deal": HANDS,
            "tricks": {seat: {"NT": 2, "S": 5, "H": 8, "D": 7, "C": 3} for seat in "NESW"},
            "dealer": "east",
            "vulnerability": "ns",
            "auction": {
                "first": "east",
                "calls": [
                    {"call": "1S", "alert": True},
                    {"call": "X", "explanation": "takeout", "mark": "!"},
                    {"call": "XX", "explanation": "takeout"},
                    {"call": "2H", "explanation": "five ♥ or more"},
                    {"call": "3NT"},
                ],
            },
        },
    ],
}
"""What real files seldom have: long suits, few cards, hands unknown, tables with gaps, a board passed out, odd calls."""

ROOMS = {
    "boards": [
        {
            "number": number,
            "deal": HANDS,
            "room": room,
            "contract": contract,
            "declarer": seat,
            "result": result,
            "teams": ["Home", None],
            "round": "2",
            **({"vulnerability": "none"} if number == 4 else {}),
        }
        for number, room, contract, seat, result in (
            (3, "Closed", "4S", "west", 10),
            (3, "Open", "4S", "west", 9),
            (4, "Open", "1NT", "north", 7),
            (4, "Closed", "1NT", "north", 7),
            (5, "Open", "6HX", "south", 12),
            (5, "Closed", "2C", "east", 6),
            (6, "Open", "3D", "west", 9),
            (6, "", "3D", "west", None),
        )
    ]
}

KEYS = tuple(("key", key) for key in ("ArrowRight", "End", "ArrowLeft", "ArrowLeft", "Home", "ArrowLeft", "x"))
TILE = ("click", "button.tile")
ENTER = ("click", ".enter")

VISITS = {
    "boards": Visit(
        (sample("pbn/sixteen.pbn", 3),),
        (
            ("open", ""),
            ("go", "#board=2"),
            ("key", "ArrowLeft"),
            ("key", "ArrowLeft"),
            ("key", "ArrowRight", {"ctrlKey": True}),
            ("click", "a.skip"),
            ("choose", ".turns select", "1"),
            ("go", "#board=99"),
            ("click", "label input"),
            ("click", "label:last-child input"),
            ("tell", "beforeprint"),
            ("tell", "afterprint"),
            ("go", "#records"),
            ("click", "button", "Print"),
            ("tell", "beforeprint"),
        ),
    ),
    "played": Visit(
        (sample("lin/read-plus-alerts-claim.lin"),),
        (
            ("open", ""),
            ("wait",),
            ENTER,
            *KEYS,
            ("click", "[data-keep=at3]"),
            ("click", "[data-keep=lost4]"),
            TILE,
            ("wait",),
            ("click", "[data-keep=trickBack]"),
            ("click", "[data-keep=trickForward]"),
            ("click", "[data-keep=rejoin]"),
            ("choose", "[data-keep=chooseContract]", "2"),
            ("wait",),
            ("click", "[data-keep=worth]"),
            ("click", "[data-keep=backToDiagram]"),
        ),
    ),
    "line": Visit(
        (
            {
                "boards": [
                    {
                        "number": 2,
                        "deal": HANDS,
                        "contract": "3S",
                        "declarer": "west",
                        "auction": {"calls": [{"call": "3S"}], "first": "west"},
                        "play": {
                            "tricks": [
                                {"leader": "north", "cards": ["SQ", "S3", "S4", "SA"]},
                                {"leader": "west", "cards": ["SK", "SJ", "C2"]},
                            ]
                        },
                    }
                ]
            },
        ),
        (
            ("open", "#board=2&line=SQS2S5SK"),
            ("wait",),
            ("key", "ArrowRight"),
            ("click", "[data-keep=end]"),
            ("click", "[data-keep=start]"),
            ("go", "#board=2&card=3"),
            ("wait",),
            ("key", "End"),
            ("go", "#board=2&card=x"),
        ),
    ),
    "ending": Visit(
        (
            {
                "boards": [
                    {
                        "number": 12,
                        "deal": {"west": "A.2..", "north": "K.3..", "east": "2.A..", "south": "3.K.."},
                        "contract": "1NT",
                        "declarer": "east",
                        "dealer": "north",
                    }
                ]
            },
        ),
        (
            ("open", ""),
            ("wait",),
            ENTER,
            TILE,
            ("wait",),
            *[TILE] * 3,
            ("wait",),
            *[TILE] * 4,
            ("click", "[data-keep=undo]"),
            ("key", "Home"),
        ),
    ),
    "edges": Visit(
        (EDGES,),
        (
            ("open", ""),
            ("go", "#records"),
            *(("go", f"#board={key}") for key in ("1", "2", "2.2", "7", "8", "9", "10", "11")),
            ("go", "#board=2&table=3"),
            ("wait",),
            ("go", "#board=2&table=9"),
            ENTER,
            ("wait",),
        ),
    ),
    "rooms": Visit(
        (ROOMS,), (("open", ""), ("go", "#board=3"), ("go", "#board=3&table=2"), ENTER, ("go", "#board=5"), ("go", "#board=6"))
    ),
    "results": Visit((sample("lin/results.lin"),), (("open", ""),)),
    "failing": Visit(
        ({"boards": [{"number": 1, "deal": HANDS, "contract": "1NT", "declarer": "east"}]},),
        (("open", ""), ("wait",), ENTER, ("wait",), ("go", "#records"), ("wait",)),
        (),
        {"failing": "broken"},
    ),
    "opened": Visit(
        (sample("pbn/two-boards.pbn"),),
        (
            ("open", "#open"),
            ("pick", {"name": "notes.txt", "text": "nothing"}),
            ("pick", text("lin/two-boards-bc.lin")),
            ("drop", {"name": "x.unknown", "text": text("pbn/two-boards.pbn")["text"].replace('[Dealer "N"]', '[Dealer "Q"]')}),
            ("drop",),
            ("go", "#open"),
            ("drop", {"name": "y.pbn", "text": ""}),
        ),
        ("pbn", "lin", "dup"),
    ),
    "nothing": Visit(
        ({},), (("open", ""), ("drop", {"name": "a.lin", "text": ""}), ("key", "Home")), (), {"settings": '{"fourColours": true}'}
    ),
}
