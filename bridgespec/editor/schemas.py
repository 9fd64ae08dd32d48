"""What the two schema languages share: findings by the functions of `check-spec`."""

from __future__ import annotations

from bridgespec.diagnostic import Diagnostic
from bridgespec.editor.draft import EditorDraft, Language
from bridgespec.schema_checks import findings, trials_of


class SchemaLanguage(Language):
    """A language of schemas."""

    def findings(self, draft: EditorDraft) -> list[Diagnostic]:
        """As `Language.findings`."""
        found = findings(draft.path, list(draft.folders), draft.text)[1]
        return [one for one in found if one.path is None or one.path.endswith(draft.path.name)]

    def trials(self, draft: EditorDraft) -> list[Diagnostic]:
        """As `Language.trials`."""
        spec, here = findings(draft.path, list(draft.folders))
        return trials_of(spec, here, draft.path, list(draft.folders))
