-- How often is par a sacrifice?
-- Per cent of deals whose par is a contract that fails, doubled, by the vulnerability of the board.
SELECT
  vulnerability_of(number) AS vulnerable,
  100 * avg((par_contract LIKE '%X')::INTEGER) AS sacrifices
FROM deals
GROUP BY ALL
ORDER BY sacrifices DESC
