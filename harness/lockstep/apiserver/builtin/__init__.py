"""The built-in kinds as upstream publishes them, derived by `python -m tools.builtin_types RELEASE`.

`resources.json` says how the objects of each kind are addressed (discovery). `types.json` has their fields, with the
facts that writers need (OpenAPI, and the structs of the Go packages). Both name the release and the modules that they
are from.
"""
