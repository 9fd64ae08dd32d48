"""The setting for Neovim in docs/editors.md, tried in Neovim itself without a window."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "editors.md"
SCHEMA = """\
meta: {id: demo, title: Demo, file-extension: demo, endian: le}
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row:
    doc: One line.
    seq: [{id: left, type: u1}]
"""
STEPS = """\
local function ask(method, line, character, more)
  local position = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = line, character = character } }
  local answers = vim.lsp.buf_request_sync(0, method, vim.tbl_extend("force", position, more or {}), 30000)
  for _, answer in pairs(answers) do return answer.result end
end
local function findings()
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do table.insert(found, { one.lnum, one.message }) end
  return found
end
local told = {}
vim.wait(30000, function() return #vim.diagnostic.get(0) > 0 end, 50)
told.first = findings()
vim.api.nvim_buf_set_lines(0, 2, 3, false, { "  - {id: rows, type: rwo, repeat: eos}" })
vim.wait(30000, function() local one = findings()[1]; return one and one[1] == 2 end, 50)
told.typed = findings()
vim.api.nvim_buf_set_lines(0, 2, 3, false, { "  - {id: rows, type: row, repeat: eos}" })
vim.wait(30000, function() local one = findings()[1]; return not one or one[1] ~= 2 end, 50)
told.completion = #ask("textDocument/completion", 2, 21)
told.hover = ask("textDocument/hover", 2, 22).contents.value
told.definition = ask("textDocument/definition", 2, 22).range.start.line
told.references = #ask("textDocument/references", 2, 22, { context = { includeDeclaration = true } })
vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", 2, 22, { newName = "line" }), "utf-16")
told.renamed = vim.api.nvim_buf_get_lines(0, 0, -1, false)
local out = io.open(vim.env.TOLD, "w")
out:write(vim.fn.json_encode(told))
out:close()
vim.cmd("qall!")
"""


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed")
def test_neovim_shows_completes_and_renames(tmp_path: Path) -> None:
    """With the setting of the page: findings follow the typing, and each request has its answer."""
    setting = re.search(r"```lua\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert setting is not None
    (tmp_path / "bridgespec").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bridgespec "$@"\n')
    (tmp_path / "bridgespec").chmod(0o755)
    (tmp_path / "init.lua").write_text(setting[1])
    (tmp_path / "steps.lua").write_text(STEPS)
    path = tmp_path / "demo.ksy"
    path.write_text(SCHEMA)
    told = tmp_path / "told.json"
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "TOLD": str(told)}
    command = ["nvim", "--headless", "-n", "-u", str(tmp_path / "init.lua"), str(path), "-c", f"luafile {tmp_path / 'steps.lua'}"]
    done = subprocess.run(command, env=environment, timeout=120, check=False, capture_output=True, text=True)
    assert told.exists(), done.stderr
    found = json.loads(told.read_text("utf-8"))
    assert found["typed"][0][0] == 2
    assert "rwo" in found["typed"][0][1]
    assert found["completion"] > 50
    assert "One line." in found["hover"]
    assert (found["definition"], found["references"]) == (4, 2)
    assert "\n".join(found["renamed"]) + "\n" == SCHEMA.replace("type: row", "type: line").replace("  row:", "  line:")
