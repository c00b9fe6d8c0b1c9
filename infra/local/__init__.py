"""The whole stack on one machine: the project's own template, deployed to the `ministack` emulator.

Reading order: `__main__` (the commands), `stack` (start, stop), `localize` (what the template loses and gains here).
"""
