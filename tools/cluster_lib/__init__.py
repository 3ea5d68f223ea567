"""The parts of tools/cluster, which runs several nodes on one Linux machine."""
