"""Contrastive models: images and category texts to logits."""
