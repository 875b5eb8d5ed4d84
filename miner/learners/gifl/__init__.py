"""Learning features from the ends of random games (Game Independent Feature Learning: Kirci 2010)."""
