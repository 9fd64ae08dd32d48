"""The common base of the languages of binary and text schemas: their findings are those of `check-spec`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bridgespec.diagnostic import Diagnostic
from bridgespec.editor.draft import EditorDraft, Language, in_file
from bridgespec.schema_checks import findings, trials_of
from bridgespec.spec.catalog import Catalog


class SchemaLanguage(Language):
    """A language of schemas."""

    def findings(self, draft: EditorDraft) -> list[Diagnostic]:
        """As `Language.findings`."""
        found = findings(draft.path, list(draft.folders), draft.text)[1]
        return in_file(found, draft.path)

    def trials(self, draft: EditorDraft, file: bytes = b"") -> list[Diagnostic]:
        """As `Language.trials`."""
        spec, here = findings(draft.path, list(draft.folders))
        return trials_of(spec, here, draft.path, list(draft.folders))

    def searched(self, folders: Sequence[Path]) -> list[Path]:
        """As `Language.searched`."""
        return Catalog(folders).folders
