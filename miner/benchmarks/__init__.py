"""What knowledge costs a search: `scripts/bench knowledge`."""
