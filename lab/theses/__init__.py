"""`scripts/lab`: the tables and figures of the thesis (Łańcucki, section 6), measured with this program."""
