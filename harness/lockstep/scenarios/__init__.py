"""The parts of a scenario: its declaration, the cluster that it acts on, and its assertions."""
