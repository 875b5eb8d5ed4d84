"""Mining: match records in, features with their evidence and weights out."""
