"""Addresses of clusters that are not there."""

import socket
import time

import pytest

from gdl_miner.agent.errors import UserError
from gdl_miner.cluster.session import join_cluster


@pytest.mark.parametrize("address", ["127.0.0.1:{}", "ray://127.0.0.1:{}", "ray://[::1]:{}", "nosuch.invalid:{}"])
def test_an_address_where_nothing_listens_is_refused_at_once(address: str) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    began = time.monotonic()
    with pytest.raises(UserError, match=r"nothing listens at .*ray start --head"):
        join_cluster(address.format(port))
    assert time.monotonic() - began < 20


def test_a_port_beyond_all_ports_is_refused_like_a_wrong_one() -> None:
    with pytest.raises(UserError, match="nothing listens"):
        join_cluster("127.0.0.1:99999999")
