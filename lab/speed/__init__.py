"""Speed, as ratios within one run or beside the figures of other systems."""
