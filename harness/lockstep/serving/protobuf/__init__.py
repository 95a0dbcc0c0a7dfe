"""Objects as Go's typed clients send them: Kubernetes' protobuf, read into JSON. Answers are never protobuf.

`fields.json` says which number a field of which type has; it is derived from the tags in upstream's Go types
(`derive`).
"""

from lockstep.serving.protobuf.decoding import MalformedProtobuf, decode

__all__ = ["MalformedProtobuf", "decode"]
