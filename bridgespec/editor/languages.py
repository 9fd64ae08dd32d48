"""The languages of schemas and systems, by the suffix of their files."""

from __future__ import annotations

from bridgespec.editor.bidding import BiddingSystems
from bridgespec.editor.binary import BinarySchemas
from bridgespec.editor.draft import Language
from bridgespec.editor.grammar import Grammars

LANGUAGES: dict[str, Language] = {".ksy": BinarySchemas(), ".lark": Grammars(), ".bid": BiddingSystems()}
"""The only instance of each language, by the suffix of its files."""
