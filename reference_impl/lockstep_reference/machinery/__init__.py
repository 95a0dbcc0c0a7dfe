"""client-go and related libraries in readable asyncio: the base of every controller of the reference."""
