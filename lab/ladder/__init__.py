"""The ladder: any players over any rule sheets by one rule, rated together and by class of game."""
