"""What a reproduction script has of delta-rs: by the same names as ``reports.spark``. It needs deltalake and pyarrow."""
