"""Running scenarios and judging what happened: configuration, runner, verdicts."""
