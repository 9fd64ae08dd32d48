"""The language server: requests of the Language Server Protocol are answered by the `Language` of the document.

`make_server` registers the handlers. Positions are converted to the units of the client, UTF-16 unless it agrees to others.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

from bridgespec.diagnostic import Diagnostic, Severity
from bridgespec.editor.draft import EditorDraft, Heading, Language, Mention, Proposal
from bridgespec.editor.languages import LANGUAGES
from bridgespec.errors import BridgespecError
from bridgespec.version import VERSION

QUIET = 0.15
"""Seconds without a change after which a text is checked."""
_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}
_SYMBOLS = {
    "type": types.SymbolKind.Class,
    "enum": types.SymbolKind.Enum,
    "member": types.SymbolKind.EnumMember,
    "field": types.SymbolKind.Field,
    "rule": types.SymbolKind.Function,
    "situation": types.SymbolKind.Namespace,
    "parameter": types.SymbolKind.Constant,
    "take": types.SymbolKind.Module,
}
_ITEMS = {
    "key": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.Value,
    "type": types.CompletionItemKind.Class,
    "enum": types.CompletionItemKind.Enum,
    "member": types.CompletionItemKind.EnumMember,
    "field": types.CompletionItemKind.Field,
    "rule": types.CompletionItemKind.Function,
    "function": types.CompletionItemKind.Function,
    "finding": types.CompletionItemKind.Constant,
    "term": types.CompletionItemKind.Keyword,
    "role": types.CompletionItemKind.Keyword,
}
_At = types.DefinitionParams | types.ReferenceParams | types.PrepareRenameParams | types.RenameParams


class Refused(JsonRpcException):
    """Raised for a request that cannot be met. The editor shows the message; it is not logged as an error of the server."""


class SchemaServer(LanguageServer):
    """The server of one editor, for the life of the process; ``specs`` and ``bidding`` are the folders of the command line."""

    def __init__(self, specs: Sequence[Path], bidding: Sequence[Path]) -> None:
        super().__init__("bridgespec", VERSION)
        given = {suffix: bidding if suffix == ".bid" else specs for suffix in LANGUAGES}
        self.folders = {suffix: tuple(language.searched(given[suffix])) for suffix, language in LANGUAGES.items()}
        """The folders in which imports are looked up, by suffix; the same as in `check-spec`."""
        self.found: dict[str, list[Diagnostic]] = {}
        """The findings of each document that were sent last, by its URI."""

    def draft(self, uri: str) -> tuple[Language, EditorDraft, TextDocument] | None:
        """Return the language and the present text of a document; None if its suffix is not in `LANGUAGES`, or it cannot be
        read.
        """
        # A document that was never saved has a URI without a path (``untitled:``).
        path = Path(to_fs_path(uri) or "untitled")
        language = LANGUAGES.get(path.suffix)
        if language is None:
            return None
        document = self.workspace.get_text_document(uri)
        try:
            text = document.source.replace("\r\n", "\n")
        except (OSError, UnicodeDecodeError):
            # The file is neither open in the editor nor readable.
            return None
        return language, EditorDraft(path, text, self.folders[path.suffix]), document

    def other(self, path: Path) -> tuple[EditorDraft, TextDocument] | None:
        """Return the text of another file, as it is in the editor if it is open there; None as in `draft`."""
        found = self.draft(from_fs_path(str(path)) or "")
        return None if found is None else found[1:]

    def publish(self, uri: str, found: Iterable[Diagnostic]) -> None:
        """Send the findings of a document to the editor."""
        known = self.draft(uri)
        if known is None:
            return
        _, draft, document = known
        items = []
        self.found[uri] = list(found)
        for one in self.found[uri]:
            message = one.message if one.help is None else f"{one.message}\n{one.help}"
            where = self.range(draft, document, *draft.span(one))
            items.append(types.Diagnostic(where, message, _SEVERITIES[one.severity], one.code, source="bridgespec"))
        # With the version: an editor can drop findings about a text that has changed meanwhile.
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items, version=document.version))

    def range(self, draft: EditorDraft, document: TextDocument, start: int, stop: int) -> types.Range:
        """Return the range between two offsets in the units of the client."""
        places = (types.Position(*draft.place(at)) for at in (start, stop))
        first, last = (document.position_codec.position_to_client_units(document.lines, place) for place in places)
        return types.Range(first, last)

    @staticmethod
    def offset(draft: EditorDraft, document: TextDocument, position: types.Position) -> int:
        """Return the offset of a position of the client."""
        place = document.position_codec.position_from_client_units(document.lines, position)
        return draft.offset(place.line, place.character)

    def mentions_of(self, language: Language, draft: EditorDraft, mention: Mention) -> list[types.Location]:
        """Return the locations of all mentions of the same thing, in its file and in the other files of the folder."""
        found = []
        for path in [draft.path, *language.other_files(draft)]:
            known = (
                (draft, self.workspace.get_text_document(from_fs_path(str(path)) or "")) if path == draft.path else self.other(path)
            )
            # Files that do not contain the name are not parsed.
            if known is None or (path != draft.path and mention.target.rpartition("::")[2].rpartition(".")[2] not in known[0].text):
                continue
            there, document = known
            for one in language.mentions(there):
                if (one.target, one.kind) == (mention.target, mention.kind):
                    found.append(types.Location(document.uri, self.range(there, document, one.start, one.stop)))
        return found

    def declared(self, language: Language, draft: EditorDraft, mention: Mention) -> types.Location | None:
        """Return the location of the mention that declares a name; None where it is not found."""
        file = mention.target.partition("::")[0].removesuffix(draft.path.suffix) + draft.path.suffix
        elsewhere = [path for path in (language.file_of(draft, file),) if path is not None]
        for path in [draft.path, *elsewhere, *language.other_files(draft)]:
            known = self.other(path)
            if known is None or (path != draft.path and not path.is_file()):
                continue
            there, document = known
            for one in language.mentions(there):
                if one.declares and (one.target, one.kind) == (mention.target, mention.kind):
                    return types.Location(document.uri, self.range(there, document, one.start, one.stop))
        return None


def make_server(specs: Sequence[Path] = (), bidding: Sequence[Path] = ()) -> SchemaServer:
    """Return a server with all handlers, ready to be started."""
    server = SchemaServer(specs, bidding)
    logging.getLogger("pygls").setLevel(logging.ERROR)
    logging.getLogger("pygls.protocol.json_rpc").addFilter(lambda record: not (record.exc_info and record.exc_info[0] is Refused))
    for register in (_checks, _words, _uses):
        register(server)
    return server


def _checks(server: SchemaServer) -> None:
    """Register the handlers that publish findings: on every change, and with trials when a text is opened or saved."""

    async def check(uri: str, tried: bool) -> None:
        known = server.draft(uri)
        if known is None:
            return
        language, draft, document = known
        version = document.version
        # A text is checked only after a pause in typing: the findings on each letter would be out of date at once.
        await asyncio.sleep(QUIET)
        if document.version != version or uri not in server.workspace.text_documents:
            return
        loop = asyncio.get_running_loop()
        # In a thread, so that completion is answered while a large schema is checked.
        found = await loop.run_in_executor(None, _safely, language.findings, draft)
        # The text may have changed meanwhile; then its findings are out of date.
        if document.version == version:
            server.publish(uri, found)
        if tried and not any(one.severity is Severity.ERROR for one in found):
            found += await loop.run_in_executor(None, _safely, language.trials, draft)
            if document.version == version:
                server.publish(uri, found)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(parameters: types.DidOpenTextDocumentParams) -> None:
        await check(parameters.text_document.uri, True)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(parameters: types.DidSaveTextDocumentParams) -> None:
        await check(parameters.text_document.uri, True)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(parameters: types.DidChangeTextDocumentParams) -> None:
        await check(parameters.text_document.uri, False)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(parameters: types.DidCloseTextDocumentParams) -> None:
        # The protocol leaves findings shown until the server sends others, so an empty list is sent.
        server.found.pop(parameters.text_document.uri, None)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(parameters.text_document.uri, []))

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.QuickFix]))
    def repairs(parameters: types.CodeActionParams) -> list[types.CodeAction]:
        """Offer the fix of each finding in the range, or the known word in place of an unknown one."""
        uri = parameters.text_document.uri
        known = server.draft(uri)
        if known is None:
            return []
        _, draft, document = known
        first, last = (server.offset(draft, document, at) for at in (parameters.range.start, parameters.range.end))
        actions = []
        for one in server.found.get(uri, []):
            start, stop = draft.span(one)
            # Touching is enough: the cursor is often right behind the word.
            if start <= last and first <= stop and (repair := draft.repair(one)) is not None:
                title, edits = repair
                changes = [types.TextEdit(server.range(draft, document, *at), text) for *at, text in edits]
                actions.append(types.CodeAction(title, types.CodeActionKind.QuickFix, edit=types.WorkspaceEdit({uri: changes})))
        return actions


def _safely(find: object, draft: EditorDraft) -> list[Diagnostic]:
    """Return the findings of a check; an exception about the text or its file becomes a finding."""
    assert callable(find)
    try:
        return list(find(draft))
    except (BridgespecError, OSError) as error:
        return [Diagnostic("schema-value", Severity.ERROR, str(error), str(draft.path))]


def _words(server: SchemaServer) -> None:
    """Register the handlers of completion, hover and the outline."""

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[":", ".", " ", "-", "{"]))
    def complete(parameters: types.CompletionParams) -> list[types.CompletionItem]:
        known = server.draft(parameters.text_document.uri)
        if known is None:
            return []
        language, draft, document = known
        found = language.complete(draft, server.offset(draft, document, parameters.position))
        # Two sources may propose one name; editors would list it twice.
        return [_item(one) for one in dict.fromkeys(found)]

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def describe(parameters: types.HoverParams) -> types.Hover | None:
        known = server.draft(parameters.text_document.uri)
        if known is None:
            return None
        language, draft, document = known
        offset = server.offset(draft, document, parameters.position)
        texts = [language.describe(draft, offset)]
        mention = language.mention(draft, offset)
        if mention is not None:
            declared = [one.doc for one in language.mentions(draft) if one.declares and one.target == mention.target and one.doc]
            texts += [f"**{mention.target}** · {mention.kind}", *declared]
        texts = [text for text in texts if text]
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(texts))) if texts else None

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def outline(parameters: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        known = server.draft(parameters.text_document.uri)
        if known is None:
            return []
        language, draft, document = known
        return [_symbol(server, draft, document, one) for one in language.outline(draft)]


def _item(one: Proposal) -> types.CompletionItem:
    kind = _ITEMS.get(one.kind, types.CompletionItemKind.Text)
    doc = types.MarkupContent(types.MarkupKind.Markdown, one.doc) if one.doc else None
    return types.CompletionItem(one.text, kind=kind, detail=one.kind, documentation=doc)


def _symbol(server: SchemaServer, draft: EditorDraft, document: TextDocument, one: Heading) -> types.DocumentSymbol:
    # LSP demands that the range of a symbol contains its selection; editors expect it to contain its children too.
    stop = max([one.stop, *(part.stop for part in one.parts)])
    start = min([one.start, *(part.start for part in one.parts)])
    whole, name = server.range(draft, document, start, stop), server.range(draft, document, one.start, one.stop)
    parts = [_symbol(server, draft, document, part) for part in one.parts]
    return types.DocumentSymbol(one.name, _SYMBOLS.get(one.kind, types.SymbolKind.String), whole, name, children=parts)


def _uses(server: SchemaServer) -> None:
    """Register the handlers of definition, references and renaming."""

    def mention(parameters: _At) -> tuple[Language, EditorDraft, Mention] | None:
        known = server.draft(parameters.text_document.uri)
        if known is None:
            return None
        language, draft, document = known
        found = language.mention(draft, server.offset(draft, document, parameters.position))
        return None if found is None else (language, draft, found)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(parameters: types.DefinitionParams) -> types.Location | None:
        found = mention(parameters)
        if found is None:
            return None
        language, draft, one = found
        if one.kind == "file":
            path, start = language.file_of(draft, one.target), types.Position(0, 0)
            return None if path is None else types.Location(from_fs_path(str(path)) or "", types.Range(start, start))
        return server.declared(language, draft, one)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(parameters: types.ReferenceParams) -> list[types.Location]:
        found = mention(parameters)
        return [] if found is None else server.mentions_of(*found)

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(parameters: types.PrepareRenameParams) -> types.Range | None:
        found = mention(parameters)
        if found is None or found[2].kind not in found[0].RENAMED:
            return None
        known = server.draft(parameters.text_document.uri)
        return None if known is None else server.range(*known[1:], found[2].start, found[2].stop)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename(parameters: types.RenameParams) -> types.WorkspaceEdit | None:
        found = mention(parameters)
        if found is None:
            return None
        language, draft, one = found
        if one.kind not in language.RENAMED or not language.is_name(one.kind, parameters.new_name):
            raise Refused(f"{parameters.new_name!r} cannot be the name of a {one.kind}")
        # A target is a full name that ends with the name as it is written in the text.
        target = one.target[: len(one.target) - one.stop + one.start] + parameters.new_name
        if any(other.declares and other.target == target for other in language.mentions(draft)):
            raise Refused(f"there is a {one.kind} {parameters.new_name!r} already")
        changes: dict[str, list[types.TextEdit]] = {}
        for place in server.mentions_of(language, draft, one):
            changes.setdefault(place.uri, []).append(types.TextEdit(place.range, parameters.new_name))
        return types.WorkspaceEdit(changes)
