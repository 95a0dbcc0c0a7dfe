"""Questions by topic. Each topic mostly draws ordinary ones, and now and then rare, huge or wrong values."""
