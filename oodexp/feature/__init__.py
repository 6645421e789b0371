"""Images to vectors that no text had a part in: what two-sample tests compare."""
