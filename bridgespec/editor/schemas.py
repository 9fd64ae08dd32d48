"""The common base of the languages of binary and text schemas: their findings are those of `check-spec`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bridgespec.diagnostic import Diagnostic
from bridgespec.editor.draft import EditorDraft, Language, in_file
from bridgespec.schema_checks import findings, trials_of
from bridgespec.spec.catalog import Catalog


class SchemaLanguage(Language):
    """A language of schemas, binary or text. Its findings are those of `schema_checks.findings`, its trials those of
    `trials_of`.
    """

    def findings(self, draft: EditorDraft) -> list[Diagnostic]:
        """Return the findings on the text of a schema, without those on its samples."""
        found = findings(draft.path, list(draft.folders), draft.text)[1]
        return in_file(found, draft.path)

    def trials(self, draft: EditorDraft, file: bytes = b"") -> list[Diagnostic]:
        """Return the findings on the samples and generated boards of a schema, which is read from its file; ``file`` is not
        used.
        """
        spec, here = findings(draft.path, list(draft.folders))
        return trials_of(spec, here, draft.path, list(draft.folders))

    def searched(self, folders: Sequence[Path]) -> list[Path]:
        """Return the folders, then those of ``BRIDGESPEC_PATH``, of installed packages and of bridgespec."""
        return Catalog(folders).folders
