"""The parts of tools/measure. `tasks` divides the budget, `store` keeps what was measured, and each
of `speed`, `limit`, `choosing`, `applications` and `whole_programs` measures one kind of claim."""
