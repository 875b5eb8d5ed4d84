"""Learners whose steps are measured by matches, which make a learning curve."""
