"""What a case is made of: tables, steps, conditions, settings; and what an engine supports, and by which rules."""
