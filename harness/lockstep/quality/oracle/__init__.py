"""Arithmetic compared bit for bit: generated questions, answered by the real packages and by an implementation.

Scenarios show arithmetic only if it changes what a controller writes. Here each topic is one piece of it, and a seed
gives any number of questions. The process with the real packages is `lockstep.implementations.upstream.oracle`.
"""
