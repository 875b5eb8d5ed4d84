"""Program that grounds its standard input with clingo, under limits of memory and processor time.

    clingo_process.py BYTES MEBIBYTES SECONDS NATIVE

BYTES is the length of the program on standard input. If less comes, the parent process was interrupted, and this one
ends. MEBIBYTES limits the memory that the process adds to what it has before it reads anything. NATIVE is the file of
`gdl_miner.agent._native`: rules go from the grounder to native code without passing through Python, which would take
longer than grounding them.

Standard output gets these parts: a line with the number of atoms (atom 0 included) and the number of integers that
follow; these integers (32 bits, native order), which are the rules, each as head, length of the body, body; a line for
each atom of RELATIONS, with its number (0 for a fact) and its text; and the line "end", which shows that the output is
complete.
"""

import importlib
import importlib.util
import resource
import sys
from pathlib import Path
from types import ModuleType

import clingo
from clingo import _internal

RELATIONS = {  # "\0fires" marks rules in agent/reasoner/faults.py
    "r_true": 1,
    "r_does": 2,
    "r_next": 1,
    "r_legal": 2,
    "r_goal": 2,
    "r_terminal": 0,
    "r_init": 1,
    "r__0_fires": 1,
}


def native_module(file: str) -> ModuleType:
    """Load gdl_miner.agent._native without its package."""
    spec = importlib.util.spec_from_file_location("_native", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load {file}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def address_space() -> int:
    """Return the bytes that this process has mapped so far; 0 if the system does not report them."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return 0


def limit_memory(more: int) -> None:
    """Let this process map `more` bytes beyond those it has mapped, within its hard limit."""
    limit, most = address_space() + more, resource.getrlimit(resource.RLIMIT_AS)[1]
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main() -> None:
    """Ground standard input and write the result to standard output."""
    n_bytes, memory, seconds = int(sys.argv[1]), int(sys.argv[2]) << 20, int(sys.argv[3])
    collector = native_module(sys.argv[4]).RuleCollector()
    control = clingo.Control(["--warn=none"])
    importlib.import_module("numpy")  # the collector returns arrays, so numpy is loaded before memory is limited
    limit_memory(memory)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    program = sys.stdin.buffer.read(n_bytes)
    if len(program) < n_bytes:
        sys.exit("the program to ground is not complete")
    ffi, lib = _internal._ffi, _internal._lib  # type: ignore[attr-defined]  # the C interface
    observer = ffi.new("clingo_ground_program_observer_t *")
    observer.rule = ffi.cast(ffi.typeof(observer.rule), collector.callback)
    data = ffi.cast("void *", collector.address)
    _internal._handle_error(lib.clingo_control_register_observer(control._rep, observer, True, data))
    control.add("base", [], program.decode())
    control.ground([("base", [])])
    output = sys.stdout.buffer
    rules = collector.rules()
    output.write(b"%d %d\n" % (collector.n_atoms, len(rules)))
    output.write(rules.tobytes())
    for name, arity in RELATIONS.items():
        for atom in control.symbolic_atoms.by_signature(name, arity):
            if atom.is_fact or collector.derives(atom.literal):  # leave out atoms that no rule derives
                output.write(f"{0 if atom.is_fact else atom.literal} {atom.symbol}\n".encode())
    output.write(b"end\n")


if __name__ == "__main__":
    main()
