"""Knowledge that is shipped with the package: files that were learned by one command each, and what is known of them.

`index.json` has an entry for each file. `scripts/lab release` makes both anew.
"""

from gdl_miner.agent.released.index import LEVELS, Released, knowledge_file, level_files, levels_of, read_index

__all__ = ["LEVELS", "Released", "knowledge_file", "level_files", "levels_of", "read_index"]
