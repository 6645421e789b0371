"""Pairs to prompts with their target."""
