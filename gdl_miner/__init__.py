"""Knowledge mining for General Game Playing: rules in, a small readable knowledge file out.

Three subpackages are the stages of the work: `agent` plays, `miner` learns, and `cluster` spreads the work over
machines.
"""
