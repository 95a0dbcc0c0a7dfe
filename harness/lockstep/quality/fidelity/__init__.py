"""Fidelity: whether the in-memory API server answers as a real kube-apiserver does.

A scenario (`declaring`) is a short function that sends requests through an `Api` (`client`). It runs on several targets
(`targets`): the server in this process, the same behind HTTP, and a real kube-apiserver. The transcript is normalised
(`normalise`), compared field by field with the real server's answers (`compare`), live or recorded (`recordings`), and
judged (`judging`): a difference is a bug, unless the table of `excuses` says that it is deliberate. `sequences` does
the same with random requests.
"""

from lockstep.quality.fidelity.client import Api, Watched
from lockstep.quality.fidelity.declaring import ApiScenario, api_scenario

__all__ = ["Api", "ApiScenario", "Watched", "api_scenario"]
