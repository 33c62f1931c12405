"""Numbers, harms, circumstances and commands in words, and Markdown of any text."""
