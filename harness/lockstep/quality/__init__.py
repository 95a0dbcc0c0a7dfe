"""How good the reference, the suite and the simulated cluster are: fuzzing, mutants, fidelity, oracle, benchmarks."""
