"""Grounds standard input with clingo under limits of memory and processor time: clingo_process.py MEBIBYTES SECONDS."""

import resource
import runpy
import sys

if __name__ == "__main__":
    memory, seconds = int(sys.argv[1]) << 20, int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.argv[1:] = ["--mode=gringo", "--output=intermediate", "--warn=none", "-"]
    runpy.run_module("clingo", run_name="__main__")
