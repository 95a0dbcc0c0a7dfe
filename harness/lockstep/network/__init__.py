"""What lies between a controller under test and the API server: transports, watches and faults.

Both implementations reach the server through a `Network`. It answers requests one at a time, each when every controller
is parked (`lockstep.time.loop`), and it is where a scenario injects faults: the server itself knows nothing of them.
"""

from lockstep.network.faults import Fault, Faults
from lockstep.network.network import Broken, Network
from lockstep.network.relay import Relay

__all__ = ["Broken", "Fault", "Faults", "Network", "Relay"]
