"""The till of a small fish stall."""
