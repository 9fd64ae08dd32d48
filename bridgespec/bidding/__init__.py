"""Bidding by declared systems: a system is a file, and the bidder, the reader of auctions and the checker come from it."""
