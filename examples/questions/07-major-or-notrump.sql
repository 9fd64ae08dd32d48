-- Four spades or three notrumps?
-- Two balanced hands with a spade fit of four and four: per cent of deals on which each game makes, by points.
SELECT
  hcp(north) + hcp(south) AS points,
  game,
  100 * avg((tricks(tricks, strain, 'NS') >= needed)::INTEGER) AS makes
FROM deals, (VALUES ('four spades', 'S', 10), ('three notrumps', 'NT', 9)) AS games(game, strain, needed)
WHERE hcp(north) + hcp(south) BETWEEN 22 AND 29 AND length(north, 'S') = 4 AND length(south, 'S') = 4
  AND balanced(north) AND balanced(south)
GROUP BY ALL
ORDER BY ALL
