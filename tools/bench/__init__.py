"""Benchmarks of what design §16 promises: ratios against a baseline of the same run.

Run ``python -m tools.bench``; ``--update`` writes the table of ``docs/performance.md``.
"""
