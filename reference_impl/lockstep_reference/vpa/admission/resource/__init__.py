"""What is admitted: pods, which get what their VPA recommends, and VPAs, which must make sense."""
