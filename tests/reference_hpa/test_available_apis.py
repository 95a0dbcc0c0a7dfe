"""The preferred version of the custom metrics API: k8s.io/metrics pkg/client/custom_metrics/discovery.go."""

from __future__ import annotations

import asyncio

import pytest

from lockstep_reference.hpa.metrics.available_apis import AvailableApis, NoKnownVersion
from lockstep_reference.machinery.discovery import Group
from tests.reference_hpa.kit import FakeClock
from tests.reference_hpa.metrics_kit import run, seconds


def custom(*versions: str, preferred: str = "") -> Group:
    return Group("custom.metrics.k8s.io", versions, preferred or versions[0])


class Server:
    """Discovery that takes `delay` seconds of the clock to answer, and answers with what stands in `groups`."""

    def __init__(self, clock: FakeClock, *groups: Group) -> None:
        self.groups: tuple[Group, ...] | Exception = groups
        self.asked = 0
        self.delay = 0.0
        self._clock = clock

    async def server_groups(self) -> tuple[Group, ...]:
        self.asked += 1
        answer = self.groups
        await asyncio.sleep(0)
        self._clock.seconds += self.delay
        if isinstance(answer, Exception):
            raise answer
        return answer


def build(*groups: Group) -> tuple[FakeClock, Server, AvailableApis]:
    clock = FakeClock()
    server = Server(clock, *groups)
    return clock, server, AvailableApis(server, clock, seconds(15))


@pytest.mark.parametrize(
    ("group", "version"),
    [
        (custom("v1beta2", "v1beta1"), "v1beta2"),
        (custom("v1beta2", "v1beta1", preferred="v1beta1"), "v1beta1"),
        (custom("v9", "v1beta1", "v1beta2"), "v1beta1"),
        (Group("custom.metrics.k8s.io", ("v1beta1",), ""), "v1beta1"),
    ],
)
def test_the_server_s_choice_or_its_first_version_that_is_known(group: Group, version: str) -> None:
    _, _, available = build(Group("apps", ("v1",), "v1"), group)
    assert run(available.preferred_version()) == version


def test_the_answer_is_remembered_until_the_next_tick() -> None:
    clock, server, available = build(custom("v1beta2"))

    async def main() -> None:
        assert await available.preferred_version() == "v1beta2"
        server.groups = (custom("v1beta1"),)
        clock.seconds = 14.9
        assert await available.preferred_version() == "v1beta2"
        clock.seconds = 15
        assert await available.preferred_version() == "v1beta1"
        clock.seconds = 29
        assert await available.preferred_version() == "v1beta1"
        clock.seconds = 100
        await available.preferred_version()
        clock.seconds = 104
        await available.preferred_version()
        clock.seconds = 105
        await available.preferred_version()

    run(main())
    assert server.asked == 4


def test_failures_are_not_remembered() -> None:
    _, server, available = build()

    async def main() -> None:
        with pytest.raises(NoKnownVersion, match="no custom metrics API"):
            await available.preferred_version()
        server.groups = ConnectionResetError("reset")
        with pytest.raises(ConnectionResetError):
            await available.preferred_version()
        server.groups = (custom("v1beta1"),)
        assert await available.preferred_version() == "v1beta1"

    run(main())


def test_one_question_for_all_who_ask_meanwhile() -> None:
    _, server, available = build(custom("v1beta2"))

    async def main() -> list[str]:
        return await asyncio.gather(*(available.preferred_version() for _ in range(5)))

    assert run(main()) == ["v1beta2"] * 5
    assert server.asked == 1


def test_after_a_failure_those_who_wait_ask_one_after_the_other() -> None:
    _, server, available = build()

    async def main() -> list[BaseException | str]:
        return await asyncio.gather(*(available.preferred_version() for _ in range(3)), return_exceptions=True)

    assert [type(result) for result in run(main())] == [NoKnownVersion] * 3
    assert server.asked == 3


def test_a_tick_during_the_question_waits_for_the_answer_and_forgets_it() -> None:
    _, server, available = build(custom("v1beta2"))
    server.delay = 20

    async def main() -> None:
        both = await asyncio.gather(available.preferred_version(), available.preferred_version())
        assert list(both) == ["v1beta2"] * 2
        assert server.asked == 1
        server.delay = 0
        server.groups = (custom("v1beta1"),)
        assert await available.preferred_version() == "v1beta1"
        assert server.asked == 2

    run(main())
