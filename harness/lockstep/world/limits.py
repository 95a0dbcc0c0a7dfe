"""What the simulated world does not do, as data: the documentation is generated from it.

It stands here because no single part of the world is responsible for what all of them leave out.
"""

from __future__ import annotations

from lockstep.apiserver.limits import Limit

WORLD_LIMITS: tuple[Limit, ...] = (
    Limit(
        "Controllers",
        "Only those under test, the garbage collector, the namespace controller, the disruption controller and the "
        "marking of lost nodes; owners of pods where a scenario asks for them.",
        "Some forty: Deployments, Jobs, endpoints, service accounts, quota and more.",
    ),
    Limit(
        "Deployments, if a scenario manages them",
        "Sizes and counts only: no revisions, rollback, conditions, progress deadline, events, or removal of old "
        "ReplicaSets.",
        "All of that.",
    ),
    Limit(
        "StatefulSets, if a scenario manages them",
        "Pods and counts only: no volume claims, no ControllerRevisions, no events; `minReadySeconds` counts as 0 and "
        "`maxUnavailable` as 1.",
        "All of that.",
    ),
    Limit(
        "ReplicaSets and ReplicationControllers, if a scenario manages them",
        "Pods and counts only: no adoption, no slow start, no events; unready pods go first, then the youngest.",
        "All of that.",
    ),
    Limit(
        "DaemonSets, if a scenario manages them",
        "One pod on each node that is not cordoned or tainted: no affinity, tolerations, surge, revisions or back-off.",
        "All of that.",
    ),
    Limit(
        "Jobs and CronJobs, if a scenario manages them",
        "Completions, parallelism, back-off and its limit; schedules in UTC, history limits, concurrency. No indexes, "
        "deadlines, policies for success and failure, finalizers of pods, or events.",
        "All of that.",
    ),
    Limit(
        "Disruption budgets",
        "Their status is kept by the rules of upstream, one step after each change; no events, and a DisruptionTarget "
        "condition that led to nothing stays.",
        "The same, with the delays of a work queue.",
    ),
    Limit(
        "Custom resources, if a scenario manages them",
        "Pods are created and deleted at once, unready and young ones first; what a quota refuses is tried again after "
        "15 s.",
        "Whatever their operator does.",
    ),
    Limit(
        "Scheduling",
        "The node with the fewest active pods of the workload. No capacity, affinity, tolerations or preemption; "
        "`cluster.scheduler.place` decides otherwise where a scenario needs it.",
        "Filters and scores nodes by resources, affinity, taints, topology and plugins, and preempts.",
    ),
    Limit(
        "Containers",
        "None run. A lifecycle says when they start, become ready, restart and end.",
        "Images, volumes, probes, hooks and processes decide that.",
    ),
    Limit(
        "Images",
        "Never pulled, never missing.",
        "Pulled by policy; a failed pull keeps the pod waiting with ErrImagePull.",
    ),
    Limit(
        "Restart back-off",
        "Only for containers that run out of memory. Others that fail restart at once; the lifecycle's "
        "`restart_for` says when it is ready again.",
        "CrashLoopBackOff, from 10 s doubling to 5 min, whatever the failure.",
    ),
    Limit(
        "Pod status",
        "One report for all changes of one instant; the report that containers are being created is left out for pods "
        "that will start.",
        "Several reports, batched by the kubelet's own rhythm.",
    ),
    Limit(
        "Pod addresses and node heartbeats",
        "No IPs; a node's status changes only when it is lost or found, and it has a lease only in a cluster that is "
        "served by the real clock.",
        "IPs from the network plugin; a lease every 10 s.",
    ),
    Limit(
        "Node pressure",
        "A scenario evicts a pod and says what its containers use; the message has no thresholds.",
        "Evicts pods when memory, disk or process ids run short.",
    ),
    Limit(
        "Pod resizes",
        "How one goes is data (`Resize`): accepted, deferred, infeasible, failing, and how long it takes; no events.",
        "Decided by the room on the node; deferred ones are tried again when room appears.",
    ),
    Limit(
        "Lost nodes",
        "After a grace period of 50 s the node becomes unreachable and its pods not ready. They are never evicted.",
        "The same, then taint-based eviction after the pod's toleration, by default 300 s.",
    ),
    Limit(
        "Finished pods",
        "Stay until somebody deletes them.",
        "Removed by the pod garbage collector above a threshold (12,500).",
    ),
    Limit(
        "Garbage collection",
        "Decides on live objects as soon as it learns of a change; `cluster.garbage_collector.delay` makes it late. "
        "An owner of a kind that the cluster does not serve is left alone.",
        "Works through a graph and a rate-limited queue; absent owners are looked up again and again.",
    ),
    Limit(
        "Namespaces",
        "Emptied at once, and again whenever an object in them is removed.",
        "Emptied by a controller that retries with estimates of the remaining grace period.",
    ),
    Limit(
        "Usage of pods",
        "What load models and tables of the scenario say, without consequences: no throttling (but for `at_most`), no "
        "failing probes, and memory kills only where a load says `oom=True`, for the memory of that load alone.",
        "What containers do.",
    ),
    Limit(
        "Measurements",
        "All kubelets measure, and are scraped, at the same instants. CPU is that of the instant.",
        "Each node in its own time, with jitter. CPU is the average over the window.",
    ),
    Limit(
        "What metrics-server leaves out",
        "Containers that use nothing are shown; pods on a lost node keep their metrics; no swap.",
        "Drops points without CPU time or memory, and pods of nodes that do not answer.",
    ),
    Limit(
        "Adapters of custom and external metrics",
        "A metric and its entry in discovery appear at once. Metrics of pods change with each scrape, all "
        "others are of the moment. Series that match are added up. Errors are worded as by prometheus-adapter.",
        "Each adapter has its own delays, queries and wording.",
    ),
    Limit(
        "APIs that go away",
        "Unavailable, or gone, from one instant to the next.",
        "Noticed by the aggregation layer's checks, every 30 s or when endpoints change.",
    ),
    Limit(
        "Prometheus",
        "What a scenario gives it; nothing is scraped. Selectors, ranges and `rate`, as in Prometheus 2; every other "
        "query is an error.",
        "Scrapes targets, and has all of PromQL. Prometheus 3 leaves out the first end of a range.",
    ),
    Limit(
        "Programs of the VPA",
        "No leader election, health checks, or metrics of their own; only the recommender's requests are limited "
        "(`--kube-api-qps`); certificates are not loaded again.",
        "All of that.",
    ),
    Limit(
        "Names of events",
        "Several events about one object in one instant get the suffixes .1, .2 and so on. A combined event that began "
        "in the instant of others is counted up on the first of them.",
        "Names end in the nanosecond, which no two events share.",
    ),
    Limit(
        "Loops without delay",
        "More than 20,000 steps of the world at one instant are an error.",
        "Requests take time, so such a loop goes on.",
    ),
    Limit(
        "Clocks",
        "One clock; a node's own may be ahead or behind by `cluster.nodes[NAME].skew` seconds.",
        "Every machine has its own.",
    ),
)
