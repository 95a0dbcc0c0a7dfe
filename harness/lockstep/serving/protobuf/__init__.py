"""Objects as Go's typed clients send them: Kubernetes' protobuf, read into JSON. Answers are never protobuf.

The table of the built-in kinds (`apiserver.builtin`) says which number a field has, and of which type it is.
"""

from lockstep.serving.protobuf.decoding import MalformedProtobuf, decode

__all__ = ["MalformedProtobuf", "decode"]
