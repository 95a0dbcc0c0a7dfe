"""The Vertical Pod Autoscaler 1.7, readable: recommender, updater and admission controller.

Packages and modules have upstream's names (k8s.io/autoscaler/vertical-pod-autoscaler/pkg), so that a rule is easy to
find in both. `apis` holds the objects that the parts exchange.
"""
