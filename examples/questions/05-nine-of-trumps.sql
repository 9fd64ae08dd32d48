-- What is the nine of trumps worth?
-- Spades as trumps, eight of them, by the points of both hands: with the nine and without it.
SELECT
  hcp(north) + hcp(south) AS points,
  CASE WHEN holds(north | south, 'S9') THEN 'with it' ELSE 'without' END AS nine,
  avg(tricks(tricks, 'S', 'NS')) AS tricks
FROM deals
WHERE hcp(north) + hcp(south) BETWEEN 16 AND 26 AND length(north, 'S') + length(south, 'S') = 8
GROUP BY ALL
ORDER BY ALL
