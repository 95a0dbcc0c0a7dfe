"""Loads the Lockstep plugin, and the one that tests it (pytester), for the whole repository; holds nothing else."""

pytest_plugins = ["lockstep.pytest_plugin", "pytester"]
