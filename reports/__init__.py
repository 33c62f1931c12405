"""The run stream and the views made from it: terminal, JUnit, Markdown, explanations, reproduction scripts.

The suite writes one stream, ``run.jsonl``; every view is made from that stream alone. ARCHITECTURE.md has the levels of the room.
"""
