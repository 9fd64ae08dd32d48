/** Par of a table: see index.d.ts. Values as in bridgespec/model/par.py, whose conventions and sources hold here too. */
export function par(table, dealer, vulnerability) {
  const STRAINS = ["C", "D", "H", "S", "NT"], SIDES = ["NS", "EW"];
  const first = ["N", "S"].includes(dealer) ? 0 : ["E", "W"].includes(dealer) ? 1 : -1;
  const vulnerable = { none: [false, false], ns: [true, false], ew: [false, true], both: [true, true] }[vulnerability];
  if (first < 0) throw new Error(`${JSON.stringify(dealer)} is not a seat`);
  if (!vulnerable) throw new Error(`${JSON.stringify(vulnerability)} is not a vulnerability: none, ns, ew or both`);

  // Laws 77 and 78 of the Laws of Duplicate Bridge 2017; what fails is doubled.
  function points(level, strain, tricks, isVulnerable) {
    const over = tricks - level - 6, each = strain === "C" || strain === "D" ? 20 : 30;
    if (over < 0) return isVulnerable ? 300 * over + 100 : over >= -3 ? [-100, -300, -500][-over - 1] : 300 * over + 400;
    const bid = each * level + (strain === "NT" ? 10 : 0), slam = level < 6 ? 0 : isVulnerable ? [750, 1500][level - 6] : [500, 1000][level - 6];
    return bid + (bid < 100 ? 50 : isVulnerable ? 500 : 300) + slam + over * each;
  }

  const outcomes = SIDES.map((side, number) => {
    const all = [];
    for (let level = 1; level <= 7; level++)
      for (const strain of STRAINS) {
        const won = [...side].map((seat) => table[strain]?.[seat]);
        if (won.includes(undefined)) throw new Error("par needs all twenty results of the table");
        const tricks = Math.max(...won), declarers = [...side].filter((seat, place) => won[place] === tricks).join("");
        const contract = { level, strain, doubled: tricks < level + 6, declarers, tricks };
        all.push({ points: points(level, strain, tricks, vulnerable[number]), contract });
      }
    return all;
  });

  // From the highest bid down: a bid is worth its own outcome or, if less, what the other side's best higher bid leaves.
  let best = [null, null];
  for (let bid = 34; bid >= 0; bid--) {
    const worth = [0, 1].map((side) => Math.min(outcomes[side][bid].points, best[1 - side] === null ? Infinity : -best[1 - side]));
    best = [0, 1].map((side) => Math.max(worth[side], best[side] === null ? -Infinity : best[side]));
  }
  const value = Math.max(best[first], -Math.max(best[1 - first], 0));
  const score = first === 0 ? value : -value;

  const contracts = [];
  for (const side of [0, 1]) {
    const own = side === 0 ? score : -score;
    let highest = -Infinity;
    for (let bid = 34; bid >= 0; bid--) {
      if (outcomes[side][bid].points === own && highest <= -own) contracts.push({ bid, ...outcomes[side][bid].contract });
      highest = Math.max(highest, outcomes[1 - side][bid].points);
    }
  }
  contracts.sort((a, b) => a.bid - b.bid);
  return { score: score || 0, contracts: contracts.map(({ bid, ...contract }) => contract) };
}
