"""The built-in kinds as upstream publishes them, derived by `python -m tools.builtin_types RELEASE`.

`resources.json` says how the objects of each kind are addressed (discovery), `types.json` which fields they have and
what writers have to know of each (OpenAPI, and the structs of the Go packages). Both name the release and the modules
that they are from.
"""
