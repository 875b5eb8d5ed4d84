"""The evolution of knowledge: chromosomes, operators, tournaments and the loop around them."""
