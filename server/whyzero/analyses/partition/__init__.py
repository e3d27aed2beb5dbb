"""The parts of partition_disputed_rows: rows against trials, what chance gives, what is regular, what the source says."""
