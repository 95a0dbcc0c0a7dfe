"""HorizontalPodAutoscalers as in a real server: types, conversion, defaults, validation, strategy."""
