"""What a run did, and how two runs differ: pure functions over recorded data. Nothing in here runs anything.

`history` records writes. `normalise` turns them into a `model.Trace` (`symbols`, `items`, `pods` and `colocation`
define what is equal), and `summary` leaves out of one what depends on the clock. `compare` finds the differences
between two traces, `ledger` removes the known ones, and `explain` describes the rest. `recordings` and `history_file`
store traces and histories. `invariants` checks a single history.
"""
