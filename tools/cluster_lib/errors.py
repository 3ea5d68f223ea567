"""The errors of tools/cluster: one sentence and an exit status."""

FAILED = 1
UNUSABLE = 2  # wrong usage, or an unsuitable machine


class ClusterError(Exception):
    def __init__(self, sentence, code=FAILED):
        super().__init__(sentence)
        self.code = code
