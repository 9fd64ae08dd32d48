"""Scoring of sessions: results of tables to travellers, percentages, IMPs, victory points and ranks.

`sheet.py` makes results of rows and boards, `comparison.py` compares those of a board, `session.py` sums them by contestant,
`ranking.py` ranks the contestants, `suspicion.py` finds what was probably entered wrongly, and `report.py` makes tables of all
this.
"""
