"""The parts of learning.py, which use those of regret.py and of support/."""
