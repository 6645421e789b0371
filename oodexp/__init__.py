"""oodexp: on which objects a vision-language model stops seeing, and how much it loses there."""

__version__ = "0.1.0"
