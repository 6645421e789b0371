"""A benchmark as one folder of files: what lies where, and checks of whoever opens it."""
