"""Reading and writing files: a file appears whole or not at all, and XML from outside is read within limits."""
