"""The questions of a run in the formats that other evaluation programs read."""
