"""Measurements of what each feature of a knowledge file is good for."""
