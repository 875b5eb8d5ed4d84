"""The laboratory: studies that measure the program. It is no part of the installed package."""
