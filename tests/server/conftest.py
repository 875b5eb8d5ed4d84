from collections.abc import Iterator

import pytest

from gdl_miner.agent.knowledge import Parameters, write_knowledge
from gdl_miner.agent.reasoner.machine import load_machine
from gdl_miner.agent.server.record_folder import RecordFolder
from gdl_miner.agent.server.seat import SeatOptions
from tests.knowledge.plain import knowledge_of
from tests.server.serving import Serving, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("knowledge")
    known = knowledge_of(load_machine("tictactoe.ext"), parameters=Parameters(uct_c=41.0))
    write_knowledge(known, folder / "best.xml")
    with serving(folder, SeatOptions(threads=2, records=RecordFolder(folder))) as running:
        yield running
