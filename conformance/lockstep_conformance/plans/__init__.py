"""What generated plans of several controllers share: how they are played, and common steps.

The modules `plans` in the packages beside this one define the plans of each controller.
"""
