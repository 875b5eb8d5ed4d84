"""Benchmarks of knowledge, mining and tournaments: `scripts/bench knowledge|mining|selection`."""
