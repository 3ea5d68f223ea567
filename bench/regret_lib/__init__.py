"""The parts of regret.py."""
