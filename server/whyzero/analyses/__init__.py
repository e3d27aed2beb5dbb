"""The analyses: one pure function a tool, from a `Run` to a report. No file is opened here."""
