"""The observation of each kind of step, with what the model predicts for it."""
