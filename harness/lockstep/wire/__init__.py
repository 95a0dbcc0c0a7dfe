"""Objects in wire form, and how Go reads and writes them: the lowest layer, which every other one may use."""
