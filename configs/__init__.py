"""The shipped configurations, one TOML file each."""
