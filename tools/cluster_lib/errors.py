"""How tools/cluster fails: one sentence, and an exit code."""

FAILED = 1
UNUSABLE = 2  # wrong usage, or something that this machine lacks


class ClusterError(Exception):
    def __init__(self, sentence, code=FAILED):
        super().__init__(sentence)
        self.code = code
