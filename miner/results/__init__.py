"""What a run leaves: its folder, tables, plots and report."""
