"""Random deals that satisfy conditions. `deals` (deals.py) is the entry: a condition as text in, `Deal` values out.

A text is parsed to a `Condition` (algebra.py) whose leaves are `DealValue` (expression.py), by deal_condition.py or script.py. A
`DealStream` (deal_stream.py) shuffles and tests deals, or draws them from the boxes of the condition (bounds.py, boxes.py).
"""
