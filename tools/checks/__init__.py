"""The parts of `tools/check.py`: what is checked, how steps run, how results are counted."""
