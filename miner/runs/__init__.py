"""The life of a run: begin, drive, checkpoint, resume, report."""
