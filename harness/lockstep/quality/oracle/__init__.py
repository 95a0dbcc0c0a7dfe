"""Arithmetic compared bit for bit: generated questions, answered by the real packages and by an implementation.

Scenarios show arithmetic only where it changes what a controller writes. Here each topic is one piece of it, and a seed
gives as many questions as one likes. The process that knows the answers is `lockstep.implementations.upstream.oracle`.
"""
