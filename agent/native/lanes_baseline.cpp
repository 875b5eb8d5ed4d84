// Lanes for the instruction set in this file's name.
