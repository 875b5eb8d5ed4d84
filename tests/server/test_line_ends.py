import re

from hypothesis import given
from hypothesis import strategies as st

from gdl_miner.agent.server.http import WholeLineEnds


def fed(text: bytes, cuts: list[int]) -> bytes:
    head, begin, mended = WholeLineEnds(), 0, b""
    for cut in sorted(cuts):
        mended += head.feed(text[begin : begin + cut])
        begin += cut
    return mended + head.feed(text[begin:])


@given(st.binary(max_size=20), st.sampled_from([b"\n", b"\r\n"]), st.lists(st.integers(0, 30), max_size=6))
def test_lines_of_the_head_end_as_in_http_and_the_body_stays(body: bytes, end: bytes, cuts: list[int]) -> None:
    head = end.join([b"POST / HTTP/1.0", b"Content-Length: 20", b"", b""])
    assert fed(head + body, cuts) == head.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") + body


@given(
    st.lists(st.sampled_from([b"\r", b"\n", b"a"]), max_size=12).map(b"".join), st.lists(st.integers(0, 4), max_size=6)
)
def test_pieces_are_mended_as_the_whole(text: bytes, cuts: list[int]) -> None:
    assert fed(text, cuts) == fed(text, [])
    assert re.sub(rb"\r?\n", b"\n", fed(text, [])) == re.sub(rb"\r?\n", b"\n", text)
