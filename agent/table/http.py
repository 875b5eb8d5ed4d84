"""The HTTP server of the table, for browsers on this machine.

Every address begins with a secret word, so that other pages and users cannot find the table. Requests must name this
host, and requests with an `Origin` header must come from this page. Bodies are small JSON objects.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from dataclasses import replace
from importlib.resources import files
from typing import Annotated, Literal, TypeAlias

from aiohttp import web
from aiohttp.typedefs import Handler
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from gdl_miner.agent.board import board_style
from gdl_miner.agent.errors import ConfigError, UserError
from gdl_miner.agent.table.session import Strength, TableSession

HOST = "127.0.0.1"
LARGEST_BODY = 1 << 18
SCRIPTS = ("connection.js", "table.js")
MOST_LISTENERS = 16
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class _Command(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Play(_Command):
    do: Literal["play"]
    serial: int
    role: int
    row: int


class _TakeBack(_Command):
    do: Literal["take_back"]


class _StartAgain(_Command):
    do: Literal["start_again"]


class _Sit(_Command):
    do: Literal["sit"]
    role: int
    seat: str


class _Explain(_Command):
    do: Literal["explain"]
    serial: int
    row: int | None


class _Position(_Command):
    do: Literal["position"]
    facts: str


class _Strength(_Command):
    unit: Literal["seconds", "playouts", "level"]
    amount: float


class _Change(_Command):
    do: Literal["change"]
    strength: _Strength | None = None
    advice: bool | None = None
    paused: bool | None = None
    turned: bool | None = None


_AnyCommand: TypeAlias = _Play | _TakeBack | _StartAgain | _Sit | _Explain | _Position | _Change
_COMMAND: TypeAdapter[_AnyCommand] = TypeAdapter(Annotated[_AnyCommand, Field(discriminator="do")])


class TableServer:
    """The server of one table on the loopback address; `start` and `close` it in the same running event loop."""

    def __init__(self, session: TableSession, port: int = 0) -> None:
        self._session = session
        self._wanted = port
        self._secret = secrets.token_urlsafe(16)
        self._runner: web.AppRunner | None = None
        self._listeners = 0
        self.port = port

    @property
    def url(self) -> str:
        """Address of the table."""
        return f"http://{HOST}:{self.port}/{self._secret}/"

    async def start(self) -> None:
        """Listen, and start the match. Raises ConfigError if the port cannot be opened."""
        app = web.Application(middlewares=[self._guard], client_max_size=LARGEST_BODY)
        prefix = f"/{self._secret}"
        app.router.add_get(f"{prefix}/", self._page)
        app.router.add_get(f"{prefix}/table.css", self._style)
        for name in SCRIPTS:
            app.router.add_get(f"{prefix}/{name}", self._script)
        app.router.add_get(f"{prefix}/news", self._news)
        app.router.add_get(f"{prefix}/match.xml", self._record)
        app.router.add_post(f"{prefix}/do", self._do)
        self._runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, HOST, self._wanted)
        try:
            await site.start()
        except OSError as error:
            await self._runner.cleanup()
            reason = error.strerror or str(error)
            raise ConfigError(f"cannot listen on {HOST}:{self._wanted} ({reason}); choose another --port") from None
        self.port = self._runner.addresses[0][1]
        await self._session.start()

    async def close(self) -> None:
        """Stop listening and end the match."""
        await self._session.close()
        if self._runner is not None:
            await self._runner.cleanup()

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        ours = {f"{name}:{self.port}" for name in (HOST, "localhost")}
        if request.headers.get("Host", "") not in ours:
            raise web.HTTPForbidden(text="this table is for this machine only")
        origin = request.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in ours:
            raise web.HTTPForbidden(text="this table takes no moves from other pages")
        return await handler(request)

    async def _page(self, _request: web.Request) -> web.Response:
        return _file("table.html", "text/html")

    async def _style(self, _request: web.Request) -> web.Response:
        return _text(board_style() + _read("table.css"), "text/css")

    async def _script(self, request: web.Request) -> web.Response:
        [name] = [each for each in SCRIPTS if request.path.endswith(f"/{each}")]
        return _file(name, "text/javascript")

    async def _news(self, request: web.Request) -> web.StreamResponse:
        """Send the states of the table as server-sent events; a slow browser misses states that are out of date."""
        if self._listeners >= MOST_LISTENERS:
            raise web.HTTPServiceUnavailable(text="too many browsers at this table")
        self._listeners += 1
        try:
            response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **HEADERS})
            await response.prepare(request)
            version = -1
            with suppress(ConnectionError):
                while (newest := await self._session.news(version)) is not None:
                    version, text = newest
                    await response.write(f"data: {text}\n\n".encode())
            return response
        finally:
            self._listeners -= 1

    async def _record(self, _request: web.Request) -> web.Response:
        game = self._session.table.machine.sheet.name
        name = "".join(character if character.isalnum() or character in ".-" else "_" for character in game)
        headers = {"Content-Disposition": f'attachment; filename="{name}-match.xml"', **HEADERS}
        return web.Response(body=await self._session.record(), content_type="application/xml", headers=headers)

    async def _do(self, request: web.Request) -> web.Response:
        if request.content_type != "application/json":
            raise web.HTTPUnsupportedMediaType(text="send JSON")
        try:
            command = _COMMAND.validate_json(await request.read())
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise web.HTTPBadRequest(text=f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        try:
            await self._obey(command)
        except UserError as error:
            return _text(str(error), "text/plain", status=409)
        return _text("", "text/plain")

    async def _obey(self, command: _AnyCommand) -> None:
        session = self._session
        match command:
            case _Play():
                await session.play(command.serial, command.role, command.row)
            case _TakeBack():
                await session.take_back()
            case _StartAgain():
                await session.start_again()
            case _Sit():
                await session.sit(command.role, command.seat)
            case _Explain():
                await session.explain(command.serial, command.row)
            case _Position():
                await session.take_position(command.facts)
            case _Change():
                values = command.model_dump(exclude={"do", "strength"}, exclude_none=True)
                if command.strength is not None:
                    values["strength"] = Strength(command.strength.unit, command.strength.amount)
                await session.change(replace(session.settings, **values))


def _read(name: str) -> str:
    return (files("gdl_miner.agent.table") / name).read_text("utf-8")


def _file(name: str, kind: str) -> web.Response:
    return _text(_read(name), kind)


def _text(text: str, kind: str, status: int = 200) -> web.Response:
    return web.Response(text=text, content_type=kind, status=status, headers=HEADERS)
