"""The parts of tools/cluster, which makes several nodes out of one Linux machine."""
