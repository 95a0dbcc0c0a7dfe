"""Fidelity: whether the in-memory API server answers as a real kube-apiserver does.

A scenario (`declaring`) is a short function that sends requests through an `Api` (`client`). It runs on several targets
(`targets`): the server in this process, the same behind HTTP, and a real kube-apiserver. What went over the wire is
made comparable (`normalise`), compared field by field with what the real one answered (`compare`), live or as recorded
(`recordings`), and judged (`judging`): a difference is a bug, unless the table of `excuses` says that it is meant.
`sequences` does the same with random requests.
"""

from lockstep.quality.fidelity.client import Api, Watched
from lockstep.quality.fidelity.declaring import ApiScenario, api_scenario

__all__ = ["Api", "ApiScenario", "Watched", "api_scenario"]
