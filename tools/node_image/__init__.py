"""Making a node image for kind from package registries alone: Debian's, and the Go module proxy.

Upstream's node image is built from images of other registries. Here everything is compiled or unpacked anew:

- the programs of Kubernetes, etcd, CoreDNS, containerd and kind itself, from their Go modules (`programs`);
- the node's operating system, and the tools that kube-proxy calls, from Debian's packages (`debian`);
- the images of the control plane, each around one program, in one archive (`components`, `archive`);
- the node image around all of that, with the files that kind expects there (`node`, and the folder `node/`).

Every file of this package is part of the recipe: an edit of one makes another image.
"""
