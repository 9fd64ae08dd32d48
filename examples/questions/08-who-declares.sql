-- How often does it matter which of the two plays the hand?
-- Per cent of deals on which North and South take different numbers of tricks, by strain.
SELECT strain, 100 * avg(differs::INTEGER) AS differs
FROM (
  SELECT unnest(['NT', 'S', 'H', 'D', 'C']) AS strain, unnest([
    tricks(tricks, 'NT', 'N') <> tricks(tricks, 'NT', 'S'), tricks(tricks, 'S', 'N') <> tricks(tricks, 'S', 'S'),
    tricks(tricks, 'H', 'N') <> tricks(tricks, 'H', 'S'), tricks(tricks, 'D', 'N') <> tricks(tricks, 'D', 'S'),
    tricks(tricks, 'C', 'N') <> tricks(tricks, 'C', 'S')]) AS differs
  FROM deals)
GROUP BY ALL
ORDER BY differs DESC
