"""The miner: evolution of knowledge, mining of match records, results and the command line."""
