"""OODConceptBench: what is set, and what the levels and rates of concepts are worked out from."""
