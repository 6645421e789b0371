"""Training corpora as streams of (image, text): what a model may have read about an image."""
