"""Scenarios for the VPA updater."""
