"""Planted mistakes: how many of them the suite finds."""
