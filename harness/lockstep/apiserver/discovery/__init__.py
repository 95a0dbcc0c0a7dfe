"""Discovery: which groups, versions and resources the server has."""
