"""The model: bridge as it is played, knowing no file."""
