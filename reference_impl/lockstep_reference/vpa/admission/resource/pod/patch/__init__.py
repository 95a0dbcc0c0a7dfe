"""What is changed about a pod."""
