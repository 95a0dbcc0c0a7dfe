"""What a VPA's targetRef points to: its pods (`fetcher`) and its place among controllers (`controller_fetcher`)."""
