"""Tests of what a benchmark claims: out of distribution, and a loss that is real."""
