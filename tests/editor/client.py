"""A client of the language server over standard input and output, as an editor is one."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

WAIT = 60
"""Seconds after which an answer is missing."""


class Client:
    """One server with its documents; ``answers`` are its messages that answer nothing."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "bridgespec", *arguments, "lsp"]
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.number = 0
        self.versions: dict[str, int] = {}
        self.messages: queue.Queue[dict[str, Any]] = queue.Queue()
        self.found: dict[str, list[dict[str, Any]]] = {}
        threading.Thread(target=self._listen, daemon=True).start()
        self.told: list[str] = []
        self.listening = threading.Thread(target=self._complaints, daemon=True)
        self.listening.start()

    def _listen(self) -> None:
        out = self.server.stdout
        assert out is not None
        while (line := out.readline()) != b"":
            size = int(line.split(b":")[1])
            while out.readline().strip():
                pass
            self.messages.put(json.loads(out.read(size)))

    def _complaints(self) -> None:
        assert self.server.stderr is not None
        for line in self.server.stderr:
            self.told.append(line.decode())

    def __enter__(self) -> Client:
        self.ask("initialize", processId=None, rootUri=None, capabilities={})
        self.tell("initialized")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.ask("shutdown")
            self.tell("exit")
            assert self.server.wait(WAIT) == 0
            self.listening.join(WAIT)
            assert not self.told, "".join(self.told)
        self.server.kill()
        self.server.wait()
        for stream in (self.server.stdin, self.server.stdout):
            assert stream is not None
            stream.close()

    def _send(self, **message: Any) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.server.stdin is not None
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.server.stdin.flush()

    def tell(self, method: str, **parameters: Any) -> None:
        """Send what is not answered."""
        self._send(method=method, params=parameters)

    def request(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask for something; the whole answer, an error too."""
        self.number += 1
        parameters = {key: value for key, value in parameters.items() if value is not None}
        self._send(id=self.number, method=method, **({"params": parameters} if parameters or method != "shutdown" else {}))
        while True:
            message = self.messages.get(timeout=WAIT)
            if message.get("id") == self.number and "method" not in message:
                return message
            self._keep(message)

    def ask(self, method: str, **parameters: Any) -> Any:
        """Ask for something that must be there."""
        answer = self.request(method, **parameters)
        assert "error" not in answer, answer
        return answer["result"]

    def _keep(self, message: dict[str, Any]) -> None:
        if message.get("method") == "textDocument/publishDiagnostics":
            self.found.setdefault(message["params"]["uri"], []).append(message["params"])

    def open(self, path: Path, text: str | None = None) -> str:
        """Open a file, with another text than its own; its URI."""
        uri = path.resolve().as_uri()
        self.versions[uri] = 1
        text = path.read_text("utf-8") if text is None else text
        self.tell("textDocument/didOpen", textDocument={"uri": uri, "languageId": path.suffix[1:], "version": 1, "text": text})
        return uri

    def change(self, uri: str, text: str) -> None:
        """Give a document another text."""
        self.versions[uri] += 1
        self.tell(
            "textDocument/didChange", textDocument={"uri": uri, "version": self.versions[uri]}, contentChanges=[{"text": text}]
        )

    def close(self, uri: str) -> None:
        """Close a document."""
        self.tell("textDocument/didClose", textDocument={"uri": uri})

    def findings(self, uri: str) -> list[dict[str, Any]]:
        """The next findings of the state of a document that is the last."""
        while True:
            for one in self.found.pop(uri, []):
                if one.get("version") == self.versions[uri]:
                    return list(one["diagnostics"])
            self._keep(self.messages.get(timeout=WAIT))

    def at(self, method: str, uri: str, text: str, offset: int, **more: Any) -> Any:
        """Ask about an offset of a text."""
        before = text[:offset]
        line, column = before.count("\n"), len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
        position = {"line": line, "character": column}
        return self.ask(f"textDocument/{method}", textDocument={"uri": uri}, position=position, **more)
