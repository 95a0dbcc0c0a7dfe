"""client-go and its friends in readable asyncio: what every controller of the reference stands on."""
