"""Completions to readings."""
