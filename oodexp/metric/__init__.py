"""Answers to measurements with intervals."""
