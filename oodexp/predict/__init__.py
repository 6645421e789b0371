"""The two Lightning predict loops and the store that keeps what they computed."""
