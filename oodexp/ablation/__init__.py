"""Regroupings of stored scores and answers: what every ablation of OODBench comes down to."""
