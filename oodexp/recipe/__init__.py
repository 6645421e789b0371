"""The main lines: what joins the stages, one file per sequence of steps."""
