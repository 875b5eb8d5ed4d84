"""Search for faults with random input for a given time."""

import argparse

from tests.fuzz import messages, rules


def main() -> int:
    """Run the campaign that the command line names."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    campaigns = parser.add_subparsers(dest="campaign", required=True, metavar="CAMPAIGN")
    of_rules = campaigns.add_parser("rules", help="rule sheets", description=rules.__doc__)
    rules.add_arguments(of_rules)
    of_rules.set_defaults(run=rules.run)
    of_messages = campaigns.add_parser("messages", help="messages to a player", description=messages.__doc__)
    messages.add_arguments(of_messages)
    of_messages.set_defaults(run=messages.run)
    options = parser.parse_args()
    return int(options.run(options))


if __name__ == "__main__":
    raise SystemExit(main())
