"""Structural schemas of CustomResourceDefinitions: pruning, defaults and validation of custom resources.

From apiextensions-apiserver/pkg/apiserver/{schema,validation} and kube-openapi/pkg/validation/validate. A definition
with unsupported keywords is refused, so that no check is incomplete.
"""

from __future__ import annotations

from lockstep.apiserver.structural.schema import Structural, compile_schema

__all__ = ["Structural", "compile_schema"]
