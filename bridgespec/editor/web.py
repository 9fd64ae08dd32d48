"""The server of `serve`: pages on the loopback interface, behind a token, and an event for every change of the folder.

`LiveServer` answers requests in threads. `LiveServer.watch` counts the changes of the folder; each open page receives an event for
each of them, in a request that stays open.
"""

from __future__ import annotations

import os
import secrets
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

from bridgespec.docs.environment import STATIC, environment
from bridgespec.editor.workshop import Workshop
from bridgespec.errors import UsageError
from bridgespec.extras import Extra
from bridgespec.model.number_texts import whole_number

if TYPE_CHECKING:
    import watchfiles
else:
    watchfiles = Extra("watchfiles")

HOST = "127.0.0.1"
# The Content-Security-Policy: the page loads nothing but its own scripts and styles.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
PATIENCE = 20.0
"""Seconds after which a waiting page is sent a comment in place of an event, which shows that the server is alive."""
AGAIN = 0.2
"""Seconds until a watcher that failed is started again."""
MOST_WAITING = 32
"""The maximum number of pages that wait for events."""
# The static files that are served, with their types.
_FILES = {"site.css": "text/css", "serve.css": "text/css", "site.js": "text/javascript", "serve.js": "text/javascript"}


class LiveServer(ThreadingHTTPServer):
    """A server of one folder. ``token`` begins every path; ``version`` counts the changes."""

    daemon_threads = True

    def __init__(self, workshop: Workshop, port: int = 0) -> None:
        self.workshop = workshop
        self.token = secrets.token_urlsafe(24)
        self.version = 0
        self.changed = threading.Condition()
        self.working = threading.Lock()
        self.waiting = threading.BoundedSemaphore(MOST_WAITING)
        self.ended = threading.Event()
        super().__init__((HOST, port), Handler)

    @property
    def address(self) -> str:
        """The URL of the page, with the token."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a connection that breaks off: a page may be left at any time."""

    def change(self) -> None:
        """Wake every page that waits."""
        with self.changed:
            self.version += 1
            self.changed.notify_all()

    def watch(self) -> None:
        """Report the changes of the folder until the server ends; runs in a thread of its own."""
        while not self.ended.is_set():
            try:
                for _ in watchfiles.watch(
                    self.workshop.folder.root, stop_event=self.ended, debounce=200, step=30, raise_interrupt=False
                ):
                    self.change()
            except RuntimeError:
                # The watcher fails at a file whose name is not UTF-8. Started again, it watches the other files.
                self.change()
                self.ended.wait(AGAIN)


class Handler(BaseHTTPRequestHandler):
    """Answers one request: only GET, only with the token, and only if its Host header is the address of this server."""

    server: LiveServer
    timeout = 30
    server_version = "bridgespec"
    sys_version = ""

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing: addresses contain the token."""

    def do_GET(self) -> None:
        """Answer a request."""
        # A page of another site whose name resolves to this address (DNS rebinding) sends its own name as Host.
        if self.headers.get("Host") not in (f"{HOST}:{self.server.server_port}", f"localhost:{self.server.server_port}"):
            self._refuse(HTTPStatus.FORBIDDEN)
            return
        try:
            address = urlsplit(self.path)
            given = parse_qs(address.query, keep_blank_values=True, errors="surrogateescape", max_num_fields=8)
        except ValueError:
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        token, _, rest = address.path.removeprefix("/").partition("/")
        # A comparison that stops at the first difference would let the token be guessed by its time.
        if not secrets.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode()):
            self._refuse(HTTPStatus.NOT_FOUND)
            return
        self._answer(rest, {name: values[0] for name, values in given.items()})

    def _answer(self, rest: str, given: dict[str, str]) -> None:
        """Send the answer to a path behind the token; ``given`` are the parameters of the query."""
        if rest == "events":
            self._events()
        elif rest in _FILES:
            self._send((STATIC / rest).read_bytes(), _FILES[rest])
        elif rest == "":
            page = environment().get_template("serve.html").render(folder=self.server.workshop.folder.root.name)
            self._send(page.encode("utf-8", "replace"))
        elif rest in ("view", "more"):
            self._send(self._content(rest, given).encode("utf-8", "replace"))
        else:
            self._refuse(HTTPStatus.NOT_FOUND)

    def _content(self, rest: str, given: dict[str, str]) -> str:
        """Return the HTML of the page's content for ``view``, or of a folded part for ``more``."""
        shop, part = self.server.workshop, given.get("part", "0")
        # Each request has its own thread, and all share the cached view: the lock serialises them.
        with self.server.working:
            version = self.server.version
            names = shop.folder.names()
            schema, file = shop.chosen(names, given.get("schema", ""), given.get("file", ""))
            view = shop.view(schema, file, version)
            number = whole_number(part, 8) or 0
            if rest == "more":
                try:
                    return shop.more(view, min(number, max(len(view.sections) - 1, 0)), given.get("kind", ""))
                except UsageError as error:
                    return environment().from_string("<p>{{ error }}</p>").render(error=str(error))
            options = [(quote(os.fsencode(name)), name, name in shop.schemas(names)) for name in names]
            chooser = environment().get_template("serve_files.html")
            # Names of files may be any bytes; as text they have surrogates, which cannot be sent as UTF-8.
            head = chooser.render(options=options, schema=quote(os.fsencode(schema)), file=quote(os.fsencode(file)))
            return head + shop.render(view, number)

    def _events(self) -> None:
        """Send an event for every change until the page is closed or the server ends; 503 if too many pages wait."""
        # Each page holds a thread while it waits, so their number is bounded.
        if not self.server.waiting.acquire(blocking=False):
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE)
            return
        try:
            self._head(HTTPStatus.OK, "text/event-stream")
            seen = -1
            while not self.server.ended.is_set():
                with self.server.changed:
                    if self.server.version == seen:
                        self.server.changed.wait(PATIENCE)
                    event = f"data: {self.server.version}\n\n" if self.server.version != seen else ": waiting\n\n"
                    seen = self.server.version
                self.wfile.write(event.encode())
                self.wfile.flush()
        finally:
            self.server.waiting.release()

    def _refuse(self, status: HTTPStatus) -> None:
        self._send(f"{status.value} {status.phrase}\n".encode(), "text/plain", status)

    def _send(self, body: bytes, kind: str = "text/html", status: HTTPStatus = HTTPStatus.OK) -> None:
        self._head(status, kind, len(body))
        self.wfile.write(body)

    def _head(self, status: HTTPStatus, kind: str, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY)
        for name, value in (
            ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"), ("Connection", "close"),
        ):  # fmt: skip
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()
