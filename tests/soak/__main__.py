"""Run long checks of the player server, with matches over HTTP, of a run's driver, and of a cluster of machines."""

import argparse

from tests.soak import clocks, cluster, generations, hostile, matches


def main() -> int:
    """Run the check that the command line names."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    checks = parser.add_subparsers(dest="check", required=True, metavar="CHECK")
    for name, module, what in (
        ("clocks", clocks, "no answer is late"),
        ("matches", matches, "memory does not grow"),
        ("hostile", hostile, "attacks leave matches alone"),
        ("generations", generations, "memory of a run's driver does not grow"),
        ("cluster", cluster, "cluster.yaml does what it says, on machines of namespaces"),
    ):
        check = checks.add_parser(name, help=what, description=module.__doc__)
        module.add_arguments(check)
        check.set_defaults(run=module.run)
    options = parser.parse_args()
    return int(options.run(options))


if __name__ == "__main__":
    raise SystemExit(main())
