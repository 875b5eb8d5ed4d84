"""The HTTP side of the protocol, with limits on the size and time of bodies and on the number of connections.

A connection serves one request. Bodies are read with a limit of size and time before they are parsed; while a match is
in progress, the large bodies of other games are not read to the end. A connection that has not sent a complete header
in time is closed. Requests that are refused are logged within bounds.
"""

from __future__ import annotations

import asyncio
import logging
import re
import resource

from aiohttp import http_exceptions, web

from gdl_miner.agent.errors import ConfigError, UserError
from gdl_miner.agent.server.access import Access
from gdl_miner.agent.server.game_player import GamePlayer
from gdl_miner.agent.server.messages import Message, read_message
from gdl_miner.agent.server.running_match import BUSY
from gdl_miner.agent.server.service_log import Refusals

log = logging.getLogger("gdl_miner.agent.server")

LARGEST_BODY = 8 << 20  # bytes; rule sheets that people write stay below 1 MiB
LARGEST_BODY_IN_MATCH = 256 << 10  # bytes; enough for the moves of one turn
LARGE_BODY = 64 << 10  # bytes; larger bodies are read one at a time and parsed in a thread
BODY_TIME_S = 10.0
HEADER_TIME_S = 10.0
MOST_CONNECTIONS = 512
SWEEP_S = 1.0
BEAT_S = 0.05
HEALTH = "/health"
_CUT = (ConnectionError, http_exceptions.HttpProcessingError, web.RequestPayloadError)  # no or broken HTTP
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


class PlayerServer:
    """An HTTP server for one game player. Call `start` and `close` in the same running event loop."""

    def __init__(self, player: GamePlayer, host: str, port: int, access: Access | None = None) -> None:
        self._player = player
        self._host = host
        self._port = port
        self._access = access or Access()
        self._refusals = Refusals()
        self._answering: set[asyncio.Task[str]] = set()
        self._web: web.Server | None = None
        self._listener: asyncio.Server | None = None
        self._since: dict[web.RequestHandler, float] = {}  # connections without a request yet
        self._housekeeping: list[asyncio.Task[None]] = []
        self._large = asyncio.Lock()

    @property
    def port(self) -> int:
        """The port that the server listens on."""
        if self._listener is None:
            return self._port
        return int(self._listener.sockets[0].getsockname()[1])

    async def start(self) -> None:
        """Start listening. Raises ConfigError if the address is not available."""
        _allow_connections()
        loop = asyncio.get_running_loop()
        server = web.Server(
            self._handle,
            handler_cancellation=True,
            access_log=None,
            auto_decompress=False,
            lingering_time=0,
            logger=self._broken_requests(),
        )
        self._web = server
        try:
            self._listener = await loop.create_server(
                lambda: LineEnds(self._connect(server)), self._host, self._port, backlog=MOST_CONNECTIONS
            )
        except OSError as error:
            address, reason = f"{self._host}:{self._port}", error.strerror or error
            raise ConfigError(f"cannot listen on {address} ({reason}); choose another --host or --port") from None
        self._player.warm_up()
        self._housekeeping = [asyncio.create_task(work) for work in (self._sweep(), self._beat())]

    async def close(self) -> None:
        """Stop listening and leave the match."""
        for task in self._housekeeping:
            task.cancel()
        if self._listener is not None:
            self._listener.close()
        await self._player.close()
        if self._web is not None:
            await self._web.shutdown(1.0)

    def _connect(self, server: web.Server) -> web.RequestHandler:
        loop = asyncio.get_running_loop()
        connection = server()
        self._since[connection] = loop.time()
        if len(self._since) > MOST_CONNECTIONS:
            loop.call_later(0.02, self._thin)  # connections get their transports before this call
        return connection

    def _thin(self) -> None:
        while len(self._since) > MOST_CONNECTIONS:
            self._drop(next(iter(self._since)))

    def _drop(self, connection: web.RequestHandler) -> None:
        waits = self._since.pop(connection, None) is not None
        if waits and connection.transport is not None:
            connection.transport.abort()

    async def _beat(self) -> None:
        """Measure the delay of the event loop, which delays messages too, and report it to the margin."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + BEAT_S
            await asyncio.sleep(BEAT_S)
            self._player.margin.note(loop.time() - due)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_S)
            now = asyncio.get_running_loop().time()
            for connection, since in list(self._since.items()):
                if connection.transport is None or now - since > HEADER_TIME_S:
                    self._drop(connection)
            self._refusals.sum_up()
            try:
                await self._player.forget()
            except Exception:
                log.exception("leaving a forgotten match failed")

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        received = asyncio.get_running_loop().time()
        self._since.pop(request.protocol, None)
        try:
            response = await self._respond(request, received)
        except UserError as error:
            response = self._refused(request, 400, str(error))
        except _RefusedError as refusal:
            response = self._refused(request, refusal.status, refusal.text)
        except _CUT as error:
            response = self._refused(request, 400, f"a broken request ({error or type(error).__name__})")
        except Exception:
            log.exception("a request failed")
            response = _text("the player failed; see its log", status=500)
        response.headers.update(self._access.headers(request.headers.get("Origin")))
        response.force_close()
        return response

    def _refused(self, request: web.BaseRequest, status: int, reason: str) -> web.Response:
        self._refusals.note(f"{reason} (from {request.remote})")
        return _text(reason, status)

    def _broken_requests(self) -> logging.Logger:
        """Return a log for the server library that takes what is no HTTP for refused, without a traceback."""
        library = logging.Logger("aiohttp.server")  # of this server alone
        library.parent = log

        def concerns(record: logging.LogRecord) -> bool:
            error = record.exc_info[1] if record.exc_info else None
            if record.levelno >= logging.WARNING and isinstance(error, _CUT):
                self._refusals.note(f"{record.getMessage()}: {' '.join(str(error).split())}")
                return False
            return True

        library.addFilter(concerns)
        return library

    async def _respond(self, request: web.BaseRequest, received: float) -> web.Response:
        if reason := self._access.refusal(request.remote, request.headers.get("Origin")):
            raise _RefusedError(403, reason)
        if request.method in ("GET", "HEAD") and request.path == HEALTH:
            return web.json_response(self._player.health())
        if request.method in ("GET", "HEAD"):
            return _text(f"{self._player.name}: a GGP player, {'busy' if self._player.busy else 'available'}\n")
        if request.method == "OPTIONS":
            return _text("")
        if request.method != "POST":
            raise _RefusedError(405, "send messages by POST")
        if request.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise _RefusedError(415, "send messages uncompressed")
        try:
            async with asyncio.timeout(BODY_TIME_S):
                body = await self._body(request)
        except TimeoutError:
            raise _RefusedError(408, "the message did not arrive in time") from None
        if body is None:
            return _text(BUSY)
        text = body.decode("utf-8", errors="replace")
        if len(text) > LARGE_BODY:
            message = await asyncio.to_thread(read_message, text)
        else:
            message = read_message(text)
        return _text(await self._answer(message, received))

    async def _answer(self, message: Message, received: float) -> str:
        """Return the player's answer; a client that hangs up meanwhile breaks off nothing."""
        answering = asyncio.create_task(self._player.answer(message, received))
        self._answering.add(answering)
        answering.add_done_callback(self._answering.discard)
        try:
            return await asyncio.shield(answering)
        except asyncio.CancelledError:
            self._player.hung_up(message)
            answering.add_done_callback(lambda task: task.cancelled() or task.exception())  # nobody else takes it
            raise

    async def _body(self, request: web.BaseRequest) -> bytes | None:
        """Return the body; None for a large start or preview message while a match is in progress."""
        size = request.content_length
        if size is not None and size > LARGEST_BODY:
            raise _RefusedError(413, f"a message of {size} bytes; at most {LARGEST_BODY} are read")
        body = bytearray()

        async def read(limit: int) -> bool:
            async for chunk in request.content.iter_any():
                body.extend(chunk)
                if len(body) > limit:
                    return False
            return True

        if await read(LARGE_BODY):
            return bytes(body)
        if self._player.busy and _starts_game(body):
            return None
        async with self._large:
            if not await read(LARGEST_BODY_IN_MATCH if self._player.busy else LARGEST_BODY):
                raise _RefusedError(413, "the message is too large")
        return bytes(body)


class WholeLineEnds:
    """A converter of the line ends of one head to those of HTTP, piece by piece; the body stays as it is."""

    def __init__(self) -> None:
        self._tail = b""  # the last bytes returned, to recognise line ends that are split between pieces
        self._over = False

    def feed(self, piece: bytes) -> bytes:
        """Return the next piece with its line ends converted."""
        if self._over:
            return piece
        mended = bytearray()
        for line in _LINE.findall(piece):
            if self._over:
                mended += line
                continue
            if line.endswith(b"\n") and not (self._tail + line).endswith(b"\r\n"):
                line = line[:-1] + b"\r\n"
            mended += line
            self._tail = (self._tail + line)[-4:]
            self._over = self._tail == b"\r\n\r\n"
        return bytes(mended)


class LineEnds(asyncio.Protocol):
    """A protocol in front of another one that converts the line ends of the incoming head."""

    def __init__(self, inner: asyncio.Protocol) -> None:
        self._inner = inner
        self._head = WholeLineEnds()
        for call in ("connection_made", "eof_received", "connection_lost", "pause_writing", "resume_writing"):
            setattr(self, call, getattr(inner, call))  # these go to the other protocol as they are

    def data_received(self, data: bytes) -> None:
        """Forward the data with the line ends of the head converted."""
        self._inner.data_received(self._head.feed(data))


class _RefusedError(Exception):
    """A request that is refused with an HTTP status and a text."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


def _starts_game(body: bytearray) -> bool:
    head = bytes(body[:64]).lstrip(b" \t\r\n(").lower()
    return head.startswith((b"start", b"preview"))


def _text(text: str, status: int = 200) -> web.Response:
    return web.Response(text=text, status=status, content_type="text/acl")


def _allow_connections() -> None:
    """Raise the soft limit of open files, so that all connections fit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS * 2
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
