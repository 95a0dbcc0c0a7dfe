"""The delaying queue's heap: what is ready at one instant comes out in the order of Go's container/heap."""

from __future__ import annotations

from lockstep_reference.machinery.heap import WaitingHeap


def drain(heap: WaitingHeap[str]) -> str:
    return "".join(heap.pop() for _ in range(len(heap)))


def filled(*entries: tuple[str, int]) -> WaitingHeap[str]:
    heap: WaitingHeap[str] = WaitingHeap()
    for key, ready_at in entries:
        heap.insert(key, ready_at)
    return heap


def test_equals_come_out_in_the_order_of_go() -> None:
    # Asked of container/heap: the last one moves to the top each time.
    assert drain(filled(*[(key, 5) for key in "abcdefg"])) == "agfedcb"
    assert drain(filled(("a", 5), ("b", 5), ("c", 4), ("d", 5))) == "cdab"


def test_the_earlier_of_two_instants_counts() -> None:
    heap = filled(("a", 5), ("b", 3), ("a", 9))
    assert heap.first() == 3
    heap.insert("a", 1)
    assert heap.first() == 1
    assert drain(heap) == "ab"


def test_random_instants_come_out_sorted() -> None:
    instants = [(7 * i) % 101 for i in range(101)]
    heap = filled(*[(str(instant), instant) for instant in instants])
    assert [int(heap.pop()) for _ in instants] == sorted(instants)


def test_clear() -> None:
    heap = filled(("a", 1))
    heap.clear()
    assert not heap
    heap.insert("a", 2)
    assert heap.first() == 2
