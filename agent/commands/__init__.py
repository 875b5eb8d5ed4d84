"""The commands of `agent`, one file each."""
