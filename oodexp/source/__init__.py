"""Annotated image sets."""
