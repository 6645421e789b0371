"""The configuration: one line a group in config.yaml, one folder a package, one file a part."""
