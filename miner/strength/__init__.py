"""How strong knowledge is at equal time, and whether equal work is equal time."""
