"""Logits to ID, OOD-S and OOD-H."""
