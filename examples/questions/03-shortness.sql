-- What is a singleton worth?
-- Hearts as trumps, eight or nine of them between the hands, no more than 22 and no less than 18 points: by the shortest side suit.
SELECT
  ['void', 'singleton', 'doubleton', 'three cards'][least(
    length(north, 'S'), length(north, 'D'), length(north, 'C'),
    length(south, 'S'), length(south, 'D'), length(south, 'C')) + 1] AS shortest,
  avg(tricks(tricks, 'H', 'NS')) AS tricks
FROM deals
WHERE hcp(north) + hcp(south) BETWEEN 18 AND 22 AND length(north, 'H') + length(south, 'H') BETWEEN 8 AND 9
GROUP BY ALL
ORDER BY tricks DESC
