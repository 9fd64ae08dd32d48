"""Deals that satisfy conditions: the cards that nobody has seen, dealt to what is known of the hands."""
