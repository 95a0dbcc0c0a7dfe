"""Lists: their shape, pages, and versions."""

from __future__ import annotations

from lockstep.quality.fidelity import Api, api_scenario
from lockstep_conformance.apiserver import bodies

_LIST = "apiserver/pkg/storage/etcd3/store.go: GetList"
_OPTIONS = "apimachinery/pkg/apis/meta/internalversion/validation/validation.go"


def _filled(api: Api, count: int = 5) -> str:
    """So many ConfigMaps; the version of the last."""
    version = ""
    for number in range(count):
        made = api.prepare("POST", api.to("configmaps"), bodies.config_map(f"item-{number}"))
        version = made["metadata"]["resourceVersion"]
    return version


@api_scenario(
    "lists/shape",
    must="A list MUST hold its items in the order of their names, with a version of its own.",
    source=_LIST,
)
def shape(api: Api) -> None:
    api.get(api.to("configmaps"))
    for name in ("b", "a", "a-b", "a.b", "ab"):
        api.post(api.to("configmaps"), bodies.config_map(name))
    api.get(api.to("configmaps"))


@api_scenario(
    "lists/of-all-namespaces",
    must="A list MUST be had of all namespaces, and of one that is not there, which is empty.",
    source=_LIST,
)
def all_namespaces(api: Api) -> None:
    body = bodies.config_map("one")
    body["metadata"]["labels"] = {"run": api.token}
    api.post(api.to("configmaps"), body)
    api.get(api.to("configmaps", namespace=""), labelSelector=f"run={api.token}")
    api.get(api.to("configmaps", namespace="nowhere"))


@api_scenario("lists/pages", must="A limit MUST give pages, with the count of what remains.", source=_LIST)
def pages(api: Api) -> None:
    _filled(api)
    page = api.get(api.to("configmaps"), limit="2").body
    page = api.get(api.to("configmaps"), limit="2", **{"continue": page["metadata"]["continue"]}).body
    api.get(api.to("configmaps"), limit="2", **{"continue": page["metadata"]["continue"]})
    api.get(api.to("configmaps"), limit="5")
    api.get(api.to("configmaps"), limit="0")
    api.get(api.to("configmaps"), limit="-1")
    api.get(api.to("configmaps"), limit="many")


@api_scenario("lists/pages-are-of-one-moment", must="All pages MUST show the moment of the first.", source=_LIST)
def one_moment(api: Api) -> None:
    _filled(api, 3)
    page = api.get(api.to("configmaps"), limit="1").body
    api.prepare("POST", api.to("configmaps"), bodies.config_map("item-1a"))
    api.prepare("DELETE", api.to("configmaps", "item-2"))
    api.get(api.to("configmaps"), limit="5", **{"continue": page["metadata"]["continue"]})
    api.get(api.to("configmaps"))


@api_scenario("lists/pages-with-selector", must="With a selector, a page MUST NOT count what remains.", source=_LIST)
def selected_pages(api: Api) -> None:
    for number in range(5):
        body = bodies.config_map(f"item-{number}")
        body["metadata"]["labels"] = {"even": str(number % 2 == 0).lower()}
        api.prepare("POST", api.to("configmaps"), body)
    page = api.get(api.to("configmaps"), limit="2", labelSelector="even=true").body
    api.get(api.to("configmaps"), limit="2", labelSelector="even=true", **{"continue": page["metadata"]["continue"]})
    api.get(api.to("configmaps"), limit="1", fieldSelector="metadata.name!=item-0")
    last = api.get(
        api.to("configmaps"), limit="1", labelSelector="even=true", fieldSelector="metadata.name=item-2"
    ).body
    token = last["metadata"].get("continue", "")
    api.get(api.to("configmaps"), limit="1", fieldSelector="metadata.name=item-2", **{"continue": token})


@api_scenario(
    "lists/bad-continue",
    must="A token that this server did not give MUST be refused with 400.",
    source="apiserver/pkg/storage/continue.go: DecodeContinue",
)
def bad_continue(api: Api) -> None:
    _filled(api, 3)
    api.get(api.to("configmaps"), limit="2", **{"continue": "nonsense"})
    api.get(api.to("configmaps"), limit="2", **{"continue": "e30"})
    page = api.get(api.to("configmaps"), limit="2").body
    token = page["metadata"]["continue"]
    api.get(api.to("configmaps"), limit="2", resourceVersion="1", **{"continue": token})
    api.get(api.to("configmaps"), limit="2", resourceVersion="0", **{"continue": token})


@api_scenario(
    "lists/expired-continue",
    must="A token from before a compaction MUST be refused with 410 and another token.",
    source="apiserver/pkg/storage/etcd3/errors.go",
)
def expired_continue(api: Api) -> None:
    _filled(api, 4)
    token = api.get(api.to("configmaps"), limit="1").body["metadata"]["continue"]
    api.prepare("POST", api.to("configmaps"), bodies.config_map("later"))
    api.compact()
    refused = api.get(api.to("configmaps"), limit="1", **{"continue": token}).body
    fresh = refused["metadata"].get("continue", "")
    if fresh:
        api.get(api.to("configmaps"), limit="2", **{"continue": fresh})


@api_scenario(
    "lists/version-match", must="resourceVersionMatch MUST be one of two, and fit the version.", source=_OPTIONS
)
def version_match(api: Api) -> None:
    version = _filled(api, 2)
    path = api.to("configmaps")
    api.get(path, resourceVersionMatch="Exact")
    api.get(path, resourceVersionMatch="NotOlderThan", resourceVersion=version)
    api.get(path, resourceVersionMatch="NotOlderThan", resourceVersion="0")
    api.get(path, resourceVersionMatch="Exact", resourceVersion="0")
    api.get(path, resourceVersionMatch="Nonsense", resourceVersion=version)
    api.get(path, resourceVersionMatch="Nonsense")
    token = api.get(path, limit="1").body["metadata"]["continue"]
    api.get(path, resourceVersionMatch="Exact", resourceVersion=version, **{"continue": token})


@api_scenario("lists/exact-version", must="An exact version MUST show the collection as it was then.", source=_LIST)
def exact(api: Api) -> None:
    version = _filled(api, 2)
    api.prepare("POST", api.to("configmaps"), bodies.config_map("later"))
    api.prepare("DELETE", api.to("configmaps", "item-0"))
    api.get(api.to("configmaps"), resourceVersion=version, resourceVersionMatch="Exact")
    api.get(api.to("configmaps"), resourceVersion=version, resourceVersionMatch="NotOlderThan")
    api.get(api.to("configmaps"), resourceVersion=version)
    api.get(api.to("configmaps"), resourceVersion=version, limit="1")


@api_scenario(
    "lists/version-zero",
    must="Version 0 MUST give whatever is cached, without pages.",
    source="apiserver/pkg/storage/cacher/cacher.go: GetList",
)
def zero(api: Api) -> None:
    _filled(api, 3)
    api.get(api.to("configmaps"))
    api.get(api.to("configmaps"), resourceVersion="0", limit="1")
    api.get(api.to("configmaps", "item-0"), resourceVersion="0")


@api_scenario(
    "lists/future-version",
    must="A version that is not there yet MUST be answered with 504 and a hint to try again.",
    source="apiserver/pkg/storage/errors.go: NewTooLargeResourceVersionError",
)
def future(api: Api) -> None:
    _filled(api, 1)
    api.get(api.to("configmaps"), resourceVersion="999999999")
    api.get(api.to("configmaps", "item-0"), resourceVersion="999999999")


@api_scenario(
    "lists/bad-version",
    must="A version that is no number MUST be refused with 400.",
    source="apiserver/pkg/storage/api_object_versioner.go: ParseResourceVersion",
)
def bad_version(api: Api) -> None:
    _filled(api, 1)
    for text in ("abc", "-1", "1.5"):
        api.get(api.to("configmaps"), resourceVersion=text)
        api.get(api.to("configmaps", "item-0"), resourceVersion=text)


@api_scenario(
    "lists/compacted-version",
    must="An exact version from before a compaction MUST be refused with 410.",
    source="apiserver/pkg/storage/etcd3/errors.go",
)
def compacted(api: Api) -> None:
    version = api.post(api.to("configmaps"), bodies.config_map("one")).body["metadata"]["resourceVersion"]
    api.prepare("POST", api.to("configmaps"), bodies.config_map("later"))
    api.compact()
    api.get(api.to("configmaps"), resourceVersion=version, resourceVersionMatch="Exact")
    api.get(api.to("configmaps"), resourceVersion=version, limit="5")


@api_scenario("lists/bad-options", must="Options of a list that make no sense MUST be refused.", source=_OPTIONS)
def bad_options(api: Api) -> None:
    _filled(api, 1)
    api.get(api.to("configmaps"), sendInitialEvents="true")
    api.get(api.to("configmaps"), sendInitialEvents="true", resourceVersionMatch="NotOlderThan")
    api.get(api.to("configmaps"), timeoutSeconds="soon")
    api.get(api.to("configmaps"), unknown="option")
    api.get(api.to("configmaps"), allowWatchBookmarks="true")


@api_scenario(
    "lists/of-custom-resources",
    must="A list of custom resources MUST be named as its definition says.",
    source="apiextensions-apiserver/pkg/apiserver/customresource_handler.go",
)
def custom(api: Api) -> None:
    group = f"{api.token}.example.com"
    api.define(bodies.definition(group))
    path = api.to_custom(f"{group}/v1", "widgets")
    api.get(path)
    api.post(path, bodies.custom(group, "b"))
    api.post(path, bodies.custom(group, "a"))
    api.get(path)
    api.get(path, limit="1")
