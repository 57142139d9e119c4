"""Small things that could be in the standard library. Know nothing of Pilotfish."""
