"""Bidding by systems declared in files, from which the bidder, the reader of auctions and the checker are made.

`Bidder` (bidder.py) is the entry for users. `BiddingSystem` (system.py) reads the files, `Engine` (engine.py) chooses and reads
calls from `Turn` to `Turn` (turn.py), and `Known` (knowledge.py) is what the calls have shown of a hand.
"""
