"""Real clusters: a real API server in place of the one in memory, with the same world, network and scenarios around it.

Each scenario is a tenant of the cluster: it has namespaces and nodes of its own, and does not see those of others
(`tenant`). All its requests go through one `RemoteServer`, which forwards them and keeps a mirror of the stored objects
(`mirror`). So the simulated scheduler and kubelets, the network's faults and the history of a run are those of the
environment in memory.
"""
