"""Questions by topic. Each draws ordinary ones mostly, and now and then what is rare, huge or wrong."""
