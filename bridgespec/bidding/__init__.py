"""Bidding by systems that are declared in files of rules: choose calls, interpret auctions, check systems.

`Bidder` (bidder.py) is the entry for users. `BiddingSystem` (system.py) reads the files; `BiddingEngine` (engine.py) chooses calls
and interprets calls, from one `Turn` (turn.py) to the next; a `KnownHand` (knowledge.py) is what the calls have shown of one hand.

A rule has three forms. A `BiddingRule` (rule_file.py) is the rule as written, with variables such as ``M`` for a major; it belongs
to the `SituationRules` of its section. A `CompiledRule` (compiled.py) is the rule with a suit for each variable; it belongs to a
`CompiledSituation`. A `Candidate` (engine.py) is a `CompiledRule` at one turn of one auction, with a legal call.
"""
