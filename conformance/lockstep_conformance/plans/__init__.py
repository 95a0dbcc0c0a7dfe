"""What generated plans of several controllers have in common: how they are played, and steps that more than one takes.

What a plan is, stands with those of each controller: the modules `plans` of the packages beside
this one.
"""
