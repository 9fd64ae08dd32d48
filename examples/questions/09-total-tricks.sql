-- Are there as many tricks as trumps?
-- North and South play in spades, East and West in hearts: all tricks together, by the trumps of both sides together.
SELECT
  length(north | south, 'S') + length(east | west, 'H') AS trumps,
  avg(tricks(tricks, 'S', 'NS') + tricks(tricks, 'H', 'EW')) AS tricks
FROM deals
WHERE length(north | south, 'S') >= 7 AND length(east | west, 'H') >= 7
GROUP BY ALL
HAVING count(*) >= 20
ORDER BY ALL
