"""Add help to findings: a fix where one is known, else the schema's documentation of the field."""

from __future__ import annotations

from dataclasses import replace

from bridgespec.cli.field_help import with_field_help
from bridgespec.cli.repairs import with_repairs
from bridgespec.cli.settings import Settings
from bridgespec.examined import Report


def advised(settings: Settings, report: Report) -> Report:
    """Return the report with a fix or a help for every finding that can have one."""
    repaired = replace(report, diagnostics=with_repairs(settings, report))
    return replace(repaired, diagnostics=with_field_help(repaired))
