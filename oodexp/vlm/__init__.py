"""Vision-language models: images and prompts to completions."""
