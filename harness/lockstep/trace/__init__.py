"""What a run did, and how two runs differ: pure functions over recorded data; nothing in here runs anything.

`history` records writes; `normalise` makes a `model.Trace` of them (`symbols`, `items`, `pods` and `colocation` say
what is equal); `compare` finds the differences between two traces, `ledger` takes out the known ones, `explain` words
the rest. `recordings` and `history_file` keep traces and histories. `invariants` judges a history by itself.
"""
