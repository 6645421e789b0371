"""The embedded default: a drawn world, its annotations, and tiny models trained on it."""
