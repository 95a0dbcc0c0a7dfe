"""Stands in for the upstream process and misbehaves in the way that its first argument names."""

from __future__ import annotations

import json
import os
import socket
import sys
import time


class Peer:
    """The bubble's end of the socket."""

    def __init__(self) -> None:
        self.socket = socket.socket(fileno=int(os.environ["LOCKSTEP_FD"]))
        self.reader = self.socket.makefile("rb")

    def say(self, **frame: object) -> None:
        self.socket.sendall(json.dumps(frame).encode() + b"\n")

    def hear(self) -> dict[str, object]:
        heard: dict[str, object] = json.loads(self.reader.readline() or b"{}")
        return heard


def main(mode: str) -> None:
    peer = Peer()
    if mode == "dies at once":
        sys.exit("panic: no memory left")
    if mode == "other protocol":
        peer.say(op="ready", now=0, protocol=99)
        time.sleep(30)
    peer.say(op="ready", now=0, protocol=3, controllers=["replicaset"])
    while peer.hear():
        serve(peer, mode)


def serve(peer: Peer, mode: str) -> None:
    """One run, up to the point where it goes wrong."""
    if mode == "refuses":
        peer.say(op="done", now=0, failed="no such gate")
        return
    wake = 0
    while not wake:  # the controllers are started at instant 0
        peer.say(op="idle", now=0)
        wake = int(str(peer.hear()["wake"]))
    if mode == "dies":
        sys.stderr.write("panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\n" + "frame\n" * 50)
        sys.stderr.flush()
        os._exit(2)
    elif mode == "killed":
        os.kill(os.getpid(), 9)
    elif mode == "hangs":
        time.sleep(30)
    elif mode == "nonsense":
        peer.socket.sendall(b"PASS\n")
        time.sleep(30)
    elif mode == "unknown frame":
        peer.say(op="hello", now=wake)
        time.sleep(30)
    elif mode == "out of turn":
        peer.say(op="done", now=wake)
        peer.hear()
    elif mode == "runs ahead":
        peer.say(op="idle", now=wake + 1)
        peer.hear()
    elif mode == "controller fails":
        peer.say(op="idle", now=1, failed="controller replicaset ended by itself: no such option")
        peer.hear()
    elif mode == "gives up":
        give_up(peer, wake)
    else:
        end(peer, mode, wake)


def give_up(peer: Peer, wake: int) -> None:
    """A caller no longer waits for its request, and a reader closes its watch."""
    peer.say(op="request", now=0, id=1, controller="replicaset", method="GET", target="/late?x=1&y=")
    peer.hear()
    peer.say(op="request", now=0, id=2, controller="replicaset", method="GET", target="/watched", gone=[1])
    peer.hear()
    peer.say(op="idle", now=wake, closed=[1], notes=[{"at": 5, "text": "given up"}])
    reply = peer.hear()
    peer.say(op="idle", now=reply["wake"], notes=[{"at": 6, "text": json.dumps(reply["items"])}])
    end(peer, "", wake, heard=peer.hear())


def end(peer: Peer, mode: str, wake: int, heard: dict[str, object] | None = None) -> None:
    """The end of a run."""
    if heard is None:
        peer.say(op="idle", now=wake)
        peer.hear()
    if mode == "hangs at the end":
        time.sleep(30)
    leaked = "deadlock: main bubble goroutine has exited but blocked goroutines remain"
    peer.say(op="done", now=0, failed=leaked if mode == "leaks" else "", pid=os.getpid())


main(sys.argv[1])
