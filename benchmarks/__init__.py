"""Speed and memory, each against what a user would run instead; `python -m benchmarks.<name>`."""
