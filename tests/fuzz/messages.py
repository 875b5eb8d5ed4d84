"""Send random and mutated messages to the reader of the GGP protocol: each must be read or refused soon."""

import argparse
import random
import sys
import time

from gdl_miner.agent.errors import MessageError
from gdl_miner.agent.server.messages import Start, read_message, write_message

SLOWEST_S = 2.0
LARGEST = 1 << 20  # characters
WORDS = [
    "start",
    "play",
    "stop",
    "abort",
    "info",
    "preview",
    "nil",
    "m.1",
    "x",
    "role",
    "terminal",
    "mark",
    "1",
    "30",
    "-1",
    "1e9",
    "0.5",
    "?x",
    "<=",
    "not",
]
SAMPLES = (
    "( INFO )",
    "(preview ((role a) (init (p 1)) (<= terminal (true (p 2)))) 10)",
    "( START M.1 White ((role white) (role black) (<= (legal ?r noop) (role ?r))) 30 10 )",
    "(PLAY m.1 NIL)",
    "(play m.1 ((mark 1 1) noop))",
    "; a comment\n(STOP m.1 ((move (f (g 1) 2)) (b)))",
    "(abort m.1)",
)
CHARACTERS = "()();; \t\r\n\0?é\ud7ff\ufeff\x85\u2028aPlY019.-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `scripts/fuzz messages`."""
    parser.add_argument("--minutes", type=float, default=1.0, help="how long to search")
    parser.add_argument("--seed", type=int, default=0, help="another seed tries other messages")


def run(options: argparse.Namespace) -> int:
    """Try messages until the time is up; return 1 if a fault was found, else 0."""
    end, number, found = time.monotonic() + 60 * options.minutes, 0, 0
    while time.monotonic() < end:
        text = message_text(random.Random(f"{options.seed} {number}"))
        what = fault(text)
        if what:
            found += 1
            print(f"message {number} of seed {options.seed}: {what}: {text[:200]!r}", flush=True)
        number += 1
    print(f"{number} messages tried, {found} faults", file=sys.stderr)
    return 1 if found else 0


def message_text(chooser: random.Random) -> str:
    """Return a text that is a message, nearly a message, or no message at all."""
    kind = chooser.randrange(6)
    if kind == 0:
        return "".join(chooser.choices(CHARACTERS, k=chooser.randrange(80)))
    if kind == 1:
        return f"({' '.join(chooser.choices([*WORDS, '(', ')'], k=chooser.randrange(30)))})"
    if kind == 2:
        depth = chooser.choice([10, 150, 160, 170, 5000])
        return f"(play m {'(' * depth}a{')' * (depth + chooser.randrange(-1, 2))})"
    if kind == 3 and chooser.random() < 0.01:
        return f"(play m ({chooser.choice(['x ', '(a) ', '; ', '( ', ') ']) * (LARGEST // 4)}))"
    text = list(chooser.choice(SAMPLES))
    for _ in range(chooser.randrange(8)):
        at = chooser.randrange(len(text) + 1)
        match chooser.randrange(4):
            case 0:
                text.insert(at, chooser.choice(CHARACTERS))
            case 1:
                del text[at : at + chooser.randrange(4)]
            case 2:
                text[at:at] = text[at : at + chooser.randrange(20)]
            case _:
                text[at:at] = f" {chooser.choice(WORDS)} "
    return "".join(text)


def fault(text: str) -> str:
    """Return what the reader does wrong with a text, an empty text for nothing."""
    begin = time.process_time()
    try:
        message = read_message(text)
    except MessageError as error:
        message = None
        if not str(error).startswith("message: ") or len(str(error)) > 300:
            return f"an error that does not say what is wrong: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if time.process_time() - begin > SLOWEST_S:
        return f"read in more than {SLOWEST_S:g} s of a processor"
    if message is None:
        return ""
    if isinstance(message, Start) and min(message.start_clock, message.play_clock) < 0:
        return "a clock below zero"
    try:
        again = read_message(write_message(message))
    except MessageError as error:
        return f"what is written of it is no message: {error}"
    return "" if again == message else "what is written of it is another message"
