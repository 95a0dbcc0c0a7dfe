"""Loads the Lockstep plugin for the whole repository; holds nothing else."""

pytest_plugins = ["harness.pytest_plugin"]
