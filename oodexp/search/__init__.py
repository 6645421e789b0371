"""Trying settings: spaces, studies that outlive a process, several workers on one study."""
