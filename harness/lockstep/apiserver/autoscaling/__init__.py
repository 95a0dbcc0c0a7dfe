"""HorizontalPodAutoscalers as a real server treats them: types, conversion, defaults, validation, strategy."""
