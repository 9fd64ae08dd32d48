-- How many tricks do a fit and points take?
-- Spades as trumps, by the points of both hands together, for fits of seven to ten cards.
SELECT
  hcp(north) + hcp(south) AS points,
  length(north, 'S') + length(south, 'S') AS fit,
  avg(tricks(tricks, 'S', 'NS')) AS tricks
FROM deals
WHERE hcp(north) + hcp(south) BETWEEN 14 AND 30 AND length(north, 'S') + length(south, 'S') BETWEEN 7 AND 10
GROUP BY ALL
HAVING count(*) >= 20
ORDER BY ALL
