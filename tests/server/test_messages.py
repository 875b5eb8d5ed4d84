import random
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gdl_miner.agent.errors import MessageError
from gdl_miner.agent.server.messages import (
    Abort,
    Info,
    Message,
    Play,
    Preview,
    Start,
    Stop,
    read_message,
    write_message,
)
from tests.fuzz.messages import fault, message_text

AS_SENT: list[tuple[str, Message]] = [
    ("( INFO )", Info()),
    ("(info)", Info()),
    ("(Preview ((role a) terminal) 10)", Preview("(role a) terminal", 10)),
    ("(START m.1 White ((role white) ) 30 10)", Start("m.1", "White", "(role white) ", 30, 10)),
    ("( start m X ((role x)) 30 10 )\r\n", Start("m", "X", "(role x)", 30, 10)),
    ("(start m x ((role x)) 2.5 0.5)", Start("m", "x", "(role x)", 2.5, 0.5)),
    ("(start m x ((role x)) 12345.678 0.000125)", Start("m", "x", "(role x)", 12345.678, 0.000125)),
    ("(START m x ((role x)) 30 10 extra (args))", Start("m", "x", "(role x)", 30, 10)),
    ("( PLAY m.1 NIL )", Play("m.1", None)),
    ("(play m nil)", Play("m", None)),
    ("(PLAY m ((MARK 1 1) NOOP ) )", Play("m", ("(MARK 1 1)", "NOOP"))),
    ("(PLAY m (a(f (g 1) 2)b))", Play("m", ("a", "(f (g 1) 2)", "b"))),
    ("(STOP m ((mark 1 1) noop))", Stop("m", ("(mark 1 1)", "noop"))),
    ("(stop m nil)", Stop("m", None)),
    ("(ABORT m)", Abort("m")),
    ("; a comment\n(abort m) ; another", Abort("m")),
]


@pytest.mark.parametrize(("text", "message"), AS_SENT)
def test_messages_of_controllers_are_read(text: str, message: Message) -> None:
    assert read_message(text) == message


@pytest.mark.parametrize("message", [message for _, message in AS_SENT])
def test_what_is_written_reads_as_itself(message: Message) -> None:
    assert read_message(write_message(message)) == message


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "there is no text"),
        (" \n", "there is no text"),
        ("info", "outside of its parentheses"),
        ("(info) (info)", "outside of its parentheses"),
        ("(info", "never closed"),
        ("()", "does not start with a word"),
        ("((info))", "does not start with a word"),
        ("(dance m)", "is no message"),
        ("(play m)", "'play' with 1 arguments; send .play MATCH .MOVE"),
        ("(play (m) nil)", "where one word must"),
        ("(play m moves)", "give NIL or a list"),
        ("(start m x rules 1 1)", "the rules are no list"),
        ("(start m x ((role x)) ten 1)", "is no clock"),
        ("(start m x ((role x)) -1 1)", "is no clock"),
        ("(start m x ((role x)) 1e9 1)", "is no clock"),
        ("(abort m " + "(" * 5000 + ")" * 5000 + ")", "parentheses are open"),
    ],
)
def test_what_is_no_message_is_refused_with_a_reason(text: str, problem: str) -> None:
    with pytest.raises(MessageError, match=problem):
        read_message(text)


def test_clocks_are_bounded() -> None:
    message = read_message("(start m x ((role x)) 999999999 999999999)")
    assert isinstance(message, Start)
    assert message.start_clock == 24 * 3600


@given(st.text(alphabet=st.sampled_from("()aplyst 1;\n\0?é\ud7ff"), max_size=60) | st.text(max_size=80))
@settings(max_examples=400)
def test_any_text_is_a_message_or_a_message_error(text: str) -> None:
    for candidate in (text, f"(start m {text} 1 1)", f"(play m {text})", f"({text})"):
        with suppress(MessageError):
            assert isinstance(read_message(candidate), Message)


@given(st.integers(0, 1 << 32))
@settings(max_examples=500)
def test_mutated_messages_are_refused_or_read_and_written_again(seed: int) -> None:
    assert fault(message_text(random.Random(seed))) == ""
