"""What each feature of a knowledge file is good for, measured."""
