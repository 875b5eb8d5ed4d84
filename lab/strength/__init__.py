"""What knowledge is worth in matches, and how well matches tell."""
