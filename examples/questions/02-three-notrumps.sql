-- How often does three notrumps make with 25 points?
-- Two balanced hands, by their points; per cent of the deals on which one of them takes nine tricks or more.
SELECT
  hcp(north) + hcp(south) AS points,
  100 * avg((tricks(tricks, 'NT', 'NS') >= 9)::INTEGER) AS makes
FROM deals
WHERE hcp(north) + hcp(south) BETWEEN 20 AND 30 AND balanced(north) AND balanced(south)
GROUP BY ALL
ORDER BY ALL
