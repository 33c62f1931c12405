"""What a known fault may be bound to, so that it excuses nothing else: conditions, subjects, wrong rows."""
