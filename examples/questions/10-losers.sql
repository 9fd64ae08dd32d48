-- Do 24 less the losers make the tricks?
-- Spades as trumps, eight or more of them: tricks by the losers of both hands, beside what the rule says.
SELECT
  north_losers + south_losers AS losers,
  told,
  avg(CASE told WHEN 'by the rule' THEN 24 - (north_losers + south_losers) ELSE tricks(tricks, 'S', 'NS') END) AS tricks
FROM deals, (VALUES ('double dummy'), ('by the rule')) AS ways(told)
WHERE length(north | south, 'S') >= 8 AND north_losers + south_losers BETWEEN 10 AND 19
GROUP BY ALL
HAVING count(*) >= 20
ORDER BY ALL
