"""A report on a machine: what Rondo's algorithms do on it, measured within a budget of time.

Ranks are started by the user's launch command. `measure` measures, `findings` judges and predicts,
`page` writes one page of HTML.
"""
