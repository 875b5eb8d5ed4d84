"""A headless Chromium driven over its DevTools protocol: pages, clicks with the mouse, screenshots."""

import asyncio
import base64
import itertools
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.chromium import chromium

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--no-proxy-server",
    "--remote-debugging-port=0",
)


class Page:
    """A tab of the browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.problems: list[str] = []  # errors in the page's console

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        while True:
            message = json.loads(await self._socket.receive_str(timeout=30))
            if message.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.problems.append(json.dumps(message["params"]))
            if message.get("id") == number:
                assert "error" not in message, message
                return dict(message["result"])

    async def open(self, url: str, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        for domain in ("Page", "Runtime", "Log"):
            await self.call(f"{domain}.enable")
        await self.resize(width, height, dark)
        await self.call("Page.navigate", url=url)

    async def resize(self, width: int, height: int, dark: bool = False) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        await self.call("Emulation.setEmulatedMedia", features=[scheme])

    async def value(self, expression: str) -> Any:
        found = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def until(self, expression: str, seconds: float = 20.0) -> Any:
        """Return the value of an expression as soon as it is truthy."""
        end = asyncio.get_running_loop().time() + seconds
        while not (value := await self.value(expression)):
            assert asyncio.get_running_loop().time() < end, f"never true: {expression}"
            await asyncio.sleep(0.03)
        return value

    async def click(self, selector: str) -> None:
        """Click with the mouse on the middle of an element, which must exist and must not be covered."""
        place = f"document.querySelector({json.dumps(selector)})"
        await self.until(f"!!{place}")
        await self.value(f"{place}.scrollIntoView({{block: 'center'}})")
        box = await self.value(f"(r => [r.x + r.width / 2, r.y + r.height / 2])({place}.getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    async def picture(self, path: Path, *, whole: bool = False) -> None:
        found = await self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))


@asynccontextmanager
async def a_page(profile: Path) -> AsyncIterator[Page]:
    """Start a browser with one tab, which ends with the context."""
    process = await asyncio.create_subprocess_exec(
        chromium(),
        *FLAGS,
        f"--user-data-dir={profile}",
        "about:blank",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        port = await _port(profile / "DevToolsActivePort")
        async with aiohttp.ClientSession() as client:
            async with client.put(f"http://127.0.0.1:{port}/json/new?about:blank") as answer:
                address = (await answer.json())["webSocketDebuggerUrl"]
            async with client.ws_connect(address, max_msg_size=0) as socket:
                yield Page(socket)
    finally:
        process.kill()
        await process.wait()


async def _port(file: Path) -> int:
    for _ in range(600):
        if file.exists() and (lines := file.read_text().splitlines()):
            return int(lines[0])
        await asyncio.sleep(0.05)
    raise AssertionError("Chromium did not start")
