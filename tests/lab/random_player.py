"""A GGP player of random legal moves: random_player.py PORT GAME [FAULT].

The fault is `late` (the second play message is answered after three seconds), `illegal` (the second answer is no move),
`die` (the player ends at the second play message) or `refuse` (the player ends before it listens).
"""

import os
import random
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from gdl_miner.agent.player import OngoingMatch
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.server.messages import Play, Start, read_message

PORT, GAME, FAULT = int(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else ""
MACHINE = load_machine(GAME)


class Player(BaseHTTPRequestHandler):
    """Answers messages; the class holds the match."""

    match = OngoingMatch(MACHINE)
    role = 0
    asked = 0

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        body = self.reply(text).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def reply(self, text: str) -> str:
        cls = type(self)
        match read_message(text):
            case Start() as start:
                cls.match, cls.role = OngoingMatch(MACHINE), MACHINE.roles.index(start.role)
                return "ready"
            case Play() as play:
                cls.asked += 1
                if play.moves is not None:
                    cls.match.advance(play.moves)
                if cls.asked == 2 and FAULT == "die":
                    os._exit(3)
                if cls.asked == 2 and FAULT == "late":
                    time.sleep(3)
                if cls.asked == 2 and FAULT == "illegal":
                    return "(mark 9 9)"
                return random.Random(cls.asked).choice(cls.match.legal(cls.role))
        return "ok"


if __name__ == "__main__":
    if FAULT == "refuse":
        raise SystemExit("no licence")
    HTTPServer(("127.0.0.1", PORT), Player).serve_forever()
