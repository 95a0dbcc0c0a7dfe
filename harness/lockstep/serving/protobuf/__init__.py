"""Objects as Go's typed clients send them: Kubernetes' protobuf, read into JSON. Answers are never protobuf.

The table of the built-in kinds (`apiserver.builtin`) has the number and the type of each field.
"""

from lockstep.serving.protobuf.decoding import MalformedProtobuf, decode

__all__ = ["MalformedProtobuf", "decode"]
