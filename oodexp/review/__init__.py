"""People accept or reject pairs on a local page; what their verdicts come to."""
