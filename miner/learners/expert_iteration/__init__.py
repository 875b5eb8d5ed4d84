"""Expert iteration: an apprentice learns what searches that it guides find, and its features grow one by one."""
