"""Random deals that satisfy conditions: unseen cards are dealt consistently with what is known of the hands."""
