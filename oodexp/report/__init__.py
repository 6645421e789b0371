"""Tables to what a person reads."""
