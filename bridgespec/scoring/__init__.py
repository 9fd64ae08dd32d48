"""Scoring of sessions: results of tables to travellers, percentages, IMPs, victory points and ranks.

`sheet.py` makes results of rows and boards, `comparison.py` compares the results of each board, `session.py` sums the scores of
each contestant and ranks them, `suspicion.py` finds results that were probably entered wrongly, and `report.py` makes tables of a
scored session.
"""
