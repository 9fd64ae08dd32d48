"""Translate the rules of a text format to declarations in JavaScript (`RulesSource`), from the compiled expressions that read and
write the format in Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bridgespec.codec.text.codec import TextCodec
from bridgespec.codec.text.compiled_expressions import (
    ChoiceExpression,
    RepeatExpression,
    SequenceExpression,
    TerminalExpression,
    TextExpression,
)
from bridgespec.codec.text.rule_references import FieldReference, LayoutReference
from bridgespec.codec.text.rule_values import CodeRule as CodeValue
from bridgespec.codec.text.rule_values import LeafRule, RecordRule, RuleValue
from bridgespec.spec.grammar import (
    Columns,
    Content,
    FaultPattern,
    Inherit,
    Needs,
    Once,
    PairForm,
    ReportForm,
    Same,
    StrictForm,
)
from bridgespec.spec.ir import Spec
from bridgespec.spec.numeral import Numeral
from bridgespec.targets.javascript.encodings import FORM
from bridgespec.targets.javascript.expressions import Scene
from bridgespec.targets.javascript.regexps import LooksBack, pattern
from bridgespec.targets.javascript.source import CallCode, CodeText, JsValue, Later, unique
from bridgespec.targets.refused import NotExpressible

_LIKE = "text like /"


class RulesSource:
    """The declarations of one text format: ``rules`` by constant name, and ``grammar``, the one of a whole file."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        # Without programs, which are regular expressions for Python's `re`: the expressions themselves are translated.
        codec = TextCodec(spec, accelerated=False)
        self.engine, self.form = codec.engine, codec.form
        values = list(self._needed(self.form.start))
        self.names = unique([value.rule.name for value in values], "Rule", "lark")
        self.values: dict[str, RuleValue] = {self.names[value.rule.name]: value for value in values}
        self.rules: dict[str, JsValue] = {name: self._declaration(value) for name, value in self.values.items()}
        self.grammar = self._grammar()

    def _needed(self, start: RuleValue) -> Iterator[RuleValue]:
        """Yield the values of all rules that the start rule uses, directly or through others, each once, a rule before those that
        it uses.
        """
        waiting, seen = [start], {start.rule.name}
        for value in waiting:
            yield value
            for name in self._used(value):
                if name not in seen:
                    seen.add(name)
                    waiting.append(self.engine.value(name))

    def _used(self, value: RuleValue) -> Iterator[str]:
        """Yield the rules that a rule refers to, in its expression and in its words."""
        alias = value.rule.alias_of
        if alias is not None:
            yield alias.name
        elif isinstance(value, CodeValue):
            # The body of a rule with only one code is no choice, but its only option.
            for option in getattr(value.body, "options", (value.body,)):
                yield from _named(option)
        else:
            yield from _named(value.body)
        if isinstance(value, RecordRule):
            yield from (name for name, _ in value.fields.values())
            yield from (name for content in value.contents for name in content.rules())
            yield from (name for _, name in value.rule.words.targets())

    # --- rules

    def _declaration(self, value: RuleValue) -> JsValue:
        """Return the declaration of a rule. Raises NotExpressible where JavaScript has no equivalent regular expression."""
        try:
            return self._rule(value)
        except LooksBack as error:
            raise NotExpressible(f"/{error}/, a lookbehind with a possessive part,", value.rule.place, FORM) from None

    def _rule(self, value: RuleValue) -> JsValue:
        """Return the declaration of a rule: its words, its expression or codes, and the fields of a record."""
        rule, words = value.rule, value.rule.words
        given: dict[str, JsValue] = {"name": rule.name}
        if words.doc:
            given["doc"] = words.doc.strip()
        if words.says is not None:
            given["says"] = words.says
        if words.report is not None:
            given["report"] = _report(words.report)
        if words.mismatch is not None:
            given["mismatch"] = _report(words.mismatch)
        if rule.name in self.engine.grammar.recursive:
            given["recursive"] = True
        if words.between is not None:
            given["remark"] = True
        if isinstance(value, RecordRule):
            given |= self._record(value)
        if words.number is not None:
            given["number"] = _numeral(words.number)
        if words.binding.default is not None:
            constant = words.binding.default.constant
            given["default"] = constant if isinstance(constant, str | int) else None
        if words.write is not None:
            given["write"] = list(words.write)
        if rule.alias_of is not None:
            # Evaluated on use: rules refer to each other in any order.
            given["like"] = Later(CodeText(self.names[rule.alias_of.name]))
        elif isinstance(value, CodeValue):
            choice = value.shape.codes
            assert choice is not None
            options = getattr(value.body, "options", (value.body,))
            given["codes"] = Later([[self._piece(option), name] for option, name in zip(options, choice.names, strict=True)])
        else:
            given["is"] = Later(self._piece(value.body))
        kind = "codeRule" if isinstance(value, CodeValue) else "leafRule" if isinstance(value, LeafRule) else "recordRule"
        return CallCode(kind, (given,))

    def _record(self, value: RecordRule) -> dict[str, JsValue]:
        """Return the properties of a rule's declaration that only records have."""
        given: dict[str, JsValue] = {"fields": Later({name: self._of(rule) for name, (rule, _) in value.fields.items()})}
        if value.arrays:
            given["lists"] = list(value.arrays)
        if value.restart is not None:
            at, after = (CodeText(pattern(regex).literal()) for regex in (value.restart.word.at, value.restart.word.after))
            given["restart"] = {"at": at, "after": after}
        if value.contents:
            given["contents"] = [self._content(content) for content in value.contents]
        if value.rule.words.pair is not None:
            given["pair"] = self._pair(value.rule.words.pair)
        words, shape = value.rule.words, value.shape.words
        if trim := words.trim or shape.trim:
            given["trim"] = trim
        if ends := words.ends or shape.ends:
            given["ends"] = ends
        if value.derived:
            given |= self._derived(value)
        return given

    def _derived(self, value: RecordRule) -> dict[str, JsValue]:
        """Return the functions of derived fields, and the names of those that depend on more than their record (``outward``) or
        are known only after the whole text is written (``unsettled``).
        """
        full = f"{self.spec.id}::{value.rule.name}"

        def encoding(name: str) -> str:
            raise NotExpressible(f"text of the encoding {name} in an expression", value.rule.place, FORM)

        scene = Scene(self.engine.value_names.seen_from(full), self.engine.value_names.records[full], encoding)
        rules = {name: value.field(name).rule for name in value.derived}
        values = {name: scene.function(rule.words.binding.value) for name, rule in rules.items() if rule.words.binding.value}
        outward: list[JsValue] = [name for name, rule in rules.items() if rule.name in self.engine.looking_out]
        unsettled: list[JsValue] = [name for name, rule in rules.items() if self.engine.derivation(rule).unsettled]
        more = {"outward": outward, "unsettled": unsettled}
        return {"values": values, **{word: names for word, names in more.items() if names}}

    def _of(self, rule: str) -> JsValue:
        """Return the constant of a rule."""
        return CodeText(self.names[rule])

    def _content(self, content: Content) -> JsValue:
        given: dict[str, JsValue] = {"of": content.of}
        if content.by is not None:
            given["by"] = content.by
        given["report"] = _report(content.report)
        if content.cases:
            given["cases"] = Later(self._cases(content.cases))
        if content.otherwise is not None:
            given["otherwise"] = Later(self._of(content.otherwise))
        if content.ascending is not None:
            given["ascending"] = Later(self._of(content.ascending))
        return given

    def _cases(self, cases: Mapping[str, str]) -> JsValue:
        return {key: self._of(rule) for key, rule in cases.items()}

    def _pair(self, pair: PairForm) -> JsValue:
        given: dict[str, JsValue] = {"key": pair.key}
        if pair.blank:
            given["blank"] = list(pair.blank)
        if pair.mark:
            given["mark"] = pair.mark
        if pair.mandatory:
            given["mandatory"] = list(pair.mandatory)
        if pair.inherit is not None:
            given["inherit"] = _inherit(pair.inherit)
        if pair.once is not None:
            given["once"] = _once(pair.once)
        if pair.needs is not None:
            given["needs"] = _once(pair.needs)
        if pair.columns is not None:
            given["columns"] = self._columns(pair.columns)
        if pair.strict is not None:
            given["strict"] = self._strict(pair.strict)
        return given

    def _columns(self, columns: Columns) -> JsValue:
        return {
            # Sorted, since sets of texts have another order in each process, and equal schemas must give equal modules.
            "tables": sorted(columns.tables),
            "name": columns.name,
            "width": columns.width,
            "cell": list(columns.cell),
            "quote": columns.quote,
            "report": _report(columns.report),
            "cases": Later(self._cases(columns.cases)),
        }

    def _strict(self, strict: StrictForm) -> JsValue:
        given: dict[str, JsValue] = {}
        order = strict.order
        for name, report in (
            ("missing", strict.missing),
            ("order", None if order is None else order.report),
            ("rows", strict.rows),
        ):
            if report is not None:
                given[name] = _report(report)
        if order is not None and order.sections:
            given["sections"] = list(order.sections)
        if strict.same:
            given["same"] = [_same(same) for same in strict.same]
        if strict.contents:
            given["contents"] = [self._content(content) for content in strict.contents]
        return given

    # --- expressions

    def _piece(self, piece: TextExpression) -> JsValue:
        """Return the source of an expression."""
        match piece:
            case TerminalExpression():
                return _text(piece)
            case SequenceExpression(items=items):
                return CallCode("inOrder", [self._piece(item) for item in items])
            case ChoiceExpression(options=options):
                return CallCode("firstOf", [self._piece(option) for option in options])
            case RepeatExpression(item=item, least=least, most=most):
                name = {(0, None): "any", (1, None): "some", (0, 1): "maybe"}.get((least, most))
                if name is not None:
                    return CallCode(name, (self._piece(item),))
                return CallCode("repeated", (self._piece(item), least, *(() if most is None else (most,))))
            case FieldReference(field=field, value=value):
                return CallCode("part", (field, self._of(value.rule.name)))
            case LayoutReference(value=value):
                return CallCode("layout", (self._of(value.rule.name),))
        raise TypeError(f"{piece!r} is not a piece that JavaScript has")

    # --- the grammar

    def _grammar(self) -> JsValue:
        """Return the declaration of the grammar: its start rule, and the checks of a whole text."""
        grammar, form = self.engine.grammar, self.engine.grammar.form
        given: dict[str, JsValue] = {
            "name": self.spec.id,
            "start": self._of(grammar.start),
            "recover": CodeText(pattern(grammar.recover).literal()),
            "records": sorted(self.form.lists),
        }
        if any(stage.several for stage in self.form.stages):
            given["several"] = [stage.several for stage in self.form.stages]
        if self.engine.looking_out:
            given["derived"] = True
        if self.engine.derivations:
            given["settle"] = True
        if form.strict is not None:
            # Without the flag `y`: the claim of the strict form may be anywhere in the file.
            given["strict"] = CodeText(pattern(form.strict, multiline=True).literal(""))
        if form.lines is not None:
            given["lines"] = {"most": form.lines.most, "report": _report(form.lines.report)}
        if form.faults:
            given["faults"] = [_fault(fault) for fault in form.faults]
        return CallCode("grammarOf", (given,))


def _named(piece: TextExpression) -> Iterator[str]:
    """Yield the rules that an expression refers to, in order."""
    if isinstance(piece, FieldReference | LayoutReference):
        yield piece.value.rule.name
    for inner in piece.inside:
        yield from _named(inner)


def _text(piece: TerminalExpression) -> JsValue:
    """Return the source of a literal or a regular expression, with the schema's own spelling where JavaScript's differs."""
    if not piece.says.startswith(_LIKE):
        text = piece.spelling or ""
        return CallCode("anyCase", (text,)) if piece.pattern.startswith("(?i:") else text
    made = pattern(piece.pattern).literal()
    source = piece.says.removeprefix(_LIKE).removesuffix("/")
    # Messages quote the expression as the schema has it.
    return CallCode("match", (CodeText(made),) if made == f"/{source}/y" else (CodeText(made), source))


def _report(report: ReportForm) -> JsValue:
    given: dict[str, JsValue] = {"code": report.code, "severity": report.severity.value, "message": report.message}
    given |= {name: value for name in ("help", "fix") if (value := getattr(report, name)) is not None}
    return {**given, "safe": True} if report.safe else given


def _inherit(inherit: Inherit) -> JsValue:
    return {
        "same": inherit.same,
        "header": inherit.header,
        "never": sorted(inherit.never),
        "report": _report(inherit.report),
    }


def _once(once: Once | Needs) -> JsValue:
    return {"of": {key: list(others) for key, others in once.of.items()}, "report": _report(once.report)}


def _same(same: Same) -> JsValue:
    given: dict[str, JsValue] = {"key": same.key, "other": same.other}
    if same.by:
        given["by"] = dict(same.by)
    return {**given, "report": _report(same.report)}


def _numeral(number: Numeral) -> JsValue:
    standard = Numeral()
    names = ("digits", "start", "modulo", "pad", "width")
    given: dict[str, JsValue] = {name: value for name in names if (value := getattr(number, name)) != getattr(standard, name)}
    return {**given, "words": list(number.words)} if number.words else given


def _fault(fault: FaultPattern) -> JsValue:
    """Return one regular expression for a pattern of faults: its group ``fault`` matches a fault, its first alternative the text
    to skip.
    """
    before = pattern(fault.skip, multiline=True) if fault.skip else None
    # Backreferences count the groups of the expression before them too.
    skipped = 0 if before is None else before.groups
    wanted = pattern(fault.at or fault.characters or "", multiline=True, after=skipped + 1)
    head = "" if before is None else f"{before.source}|"
    given: dict[str, JsValue] = {"at": CodeText(f"/{head}(?<fault>{wanted.source})/{'i' if wanted.fold else ''}g")}
    given |= {name: True for name in ("once", "strict") if getattr(fault, name)}
    return {**given, "report": _report(fault.report)}
