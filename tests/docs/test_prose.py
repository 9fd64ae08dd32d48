"""Markdown becomes HTML whose elements are closed."""

from __future__ import annotations

from bridgespec.docs.prose import prose


def test_a_picture_without_an_address_leaves_the_links_around_it() -> None:
    """A picture that goes nowhere is left out, and a link that follows it or contains it is still closed."""
    for text in ("![p](gone.png) and [a](there.md)", "[![p](gone.png)](there.md)"):
        html = prose(text, lambda address: None if address == "gone.png" else address)
        assert html.count("<a ") == html.count("</a>") == 1, text
        assert "<img" not in html


def test_a_link_to_nowhere_keeps_its_picture() -> None:
    """A link without an address is left out, both of its ends, around a picture that has one."""
    html = prose("[![p](there.png)](gone.md)", lambda address: None if address == "gone.md" else address)
    assert "<a" not in html
    assert "</a>" not in html
    assert html.count("<img") == 1
