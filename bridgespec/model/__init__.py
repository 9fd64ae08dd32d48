"""The model: values of bridge (cards, deals, auctions, plays, boards, systems), independent of any file format."""
