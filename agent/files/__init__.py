"""Files as all parts of the program read and write them: whole or not at all, XML from strangers within limits."""
