"""What one record of a text format leaves for those after it: values that are repeated, or hold until they are stated anew."""

from __future__ import annotations

from dataclasses import dataclass, field

from bridgespec.codec.text_pairs import AnyFact, PairFact
from bridgespec.model.deal import Deal
from bridgespec.spec.grammar import Inherit


@dataclass(slots=True)
class Memory:
    """What earlier records and the file's head said that still holds; ``deals`` by their texts, for many come once a room."""

    previous: dict[str, PairFact] = field(default_factory=dict)
    headers: dict[str, PairFact] = field(default_factory=dict)
    file: dict[str, AnyFact] = field(default_factory=dict)
    deals: dict[str, Deal] = field(default_factory=dict)

    def of_file(self, fact: AnyFact) -> None:
        """Remember a fact of the file's head."""
        self.file.setdefault(fact.term, fact)

    def resolve(self, fact: PairFact, rule: Inherit) -> PairFact | None:
        """The fact that a pair stands for: itself, or the one that it repeats; None for nothing."""
        text, key = fact.raw, fact.of.name
        if text.startswith(rule.header):
            self.headers[key] = fact
        elif len(text) == len(rule.same):
            earlier = self.previous.get(key)
            return None if earlier is None else repeated(earlier, fact.raw_body)
        self.previous[key] = fact
        return fact


def repeated(fact: PairFact, body: str) -> PairFact:
    """What an earlier pair said, once more, with a section of its own."""
    return fact if not (body or fact.raw_body) else PairFact(fact.of, fact.raw, body)
