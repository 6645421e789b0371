"""The links of the chain of evidence, one file each: what is claimed, tested, and found."""
