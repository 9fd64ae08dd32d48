"""Hand-made findings that the rendering tests share."""

from __future__ import annotations

from bridgespec.cli.render_marks import RenderSource
from bridgespec.diagnostic import Diagnostic, Edit, Fix, Label, Severity, Span

BINARY = RenderSource("deals.bin", bytes(range(16)) + b"\xe4\x00 tail")
NIBBLE = Diagnostic(
    "no-such-count",
    Severity.ERROR,
    "14 is not a number of tricks",
    "deals.bin",
    record=1,
    field="boards[1].tricks[0]",
    span=Span(132, 136, lsb=True),
    labels=(Label(Span(132, 136, lsb=True), "no hand takes 14"), Label(Span.of_bytes(2, 2), "the hand")),
    help="write 15 where the result is not known",
)
PADDING = Diagnostic(
    "bad-padding",
    Severity.WARNING,
    "this byte should be a space",
    "deals.bin",
    span=Span.of_bytes(17, 1),
    fix=Fix("put a space there", (Edit(17, 18, b" "),), safe=True),
)
TEXT = RenderSource("näme.txt", 'one\r\n[Deal "Ä♠x"]\r\nthree\r\n'.encode(), text=True)
LETTER = Diagnostic(
    "not-a-rank",
    Severity.ERROR,
    "x is not a rank",
    "näme.txt",
    span=Span.of_bytes(17, 1),
    labels=(Label(Span.of_bytes(0, 3), "the title"),),
    fix=Fix("take it out", (Edit(17, 18, b""),)),
)
