"""The results of a run: its folder, tables, plots and report."""
