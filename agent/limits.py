"""The largest numbers that the command lines take: far above any use, but within the ranges of native code."""

MAX_PLAYOUTS = 10**8  # for one move
MAX_IN_FLIGHT = 512  # playouts of one search at once
MAX_COUNT = 10**6  # matches, positions, features, workers
MAX_PLIES = 1000  # at the start of a match
LONGEST_MATCH = 10_000  # joint moves; a match that goes on for longer counts as endless
MAX_SECONDS = 10**6
MAX_MEMORY_MIB = 10**7
MAX_THREADS = 1024
MAX_SEED = 10**18
MAX_FACTOR = 10**6  # constants, temperatures and equivalences of searches
MOST_REASONS = 1000  # weights that explain a move
