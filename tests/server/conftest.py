from __future__ import annotations

from collections.abc import Iterator

import pytest

from gdl_miner.agent.knowledge import Knowledge, Parameters, write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.server.seat import SeatOptions
from tests.server.serving import Serving, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("knowledge")
    sheet = load_machine("tictactoe.ext").sheet
    known = Knowledge(sheet.name, sheet.digest, sheet.roles, ((), ()), ((), ()), Parameters(uct_c=41.0))
    write_knowledge(known, folder / "best.xml")
    with serving(folder, SeatOptions(threads=2, records=folder)) as running:
        yield running
