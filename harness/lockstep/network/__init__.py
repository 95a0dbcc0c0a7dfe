"""What lies between a controller under test and the API server: requests, watches and faults.

Both implementations reach the server through a `Network`. It answers one request at a time, when every controller is
parked (`lockstep.time.loop`). Scenarios inject faults here; the server itself knows nothing about them.
"""

from lockstep.network.faults import Fault, Faults
from lockstep.network.network import Broken, Network
from lockstep.network.relay import Relay

__all__ = ["Broken", "Fault", "Faults", "Network", "Relay"]
