-- Is a fit of four and four better than one of five and three?
-- Spades as trumps, eight of them, 20 to 26 points: tricks by the way in which the spades lie.
SELECT
  greatest(length(north, 'S'), length(south, 'S')) || '-' || least(length(north, 'S'), length(south, 'S')) AS fit,
  avg(tricks(tricks, 'S', 'NS')) AS tricks
FROM deals
WHERE hcp(north) + hcp(south) BETWEEN 20 AND 26 AND length(north, 'S') + length(south, 'S') = 8
GROUP BY ALL
HAVING count(*) >= 20
ORDER BY tricks DESC
