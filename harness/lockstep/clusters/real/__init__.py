"""Real ground: a real API server in place of the one in memory, with the same world, network and scenarios around it.

Each scenario is a tenant of the cluster: it has namespaces and nodes of its own, and sees nobody else's (`tenant`). All
its requests go through one `RemoteServer`, which sends them on and keeps a mirror of what is stored (`mirror`). So the
simulated scheduler and kubelets, the faults of the network and the history of a run are those of the environment in
memory.
"""
