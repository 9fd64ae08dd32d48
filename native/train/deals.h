/* Random numbers and random deals for sample.c and tune.c, which include this file behind internal.h. */
/* Where each table begins in the file of weights; NONE is behind the last. */
enum { OWNERS = 0, LENGTH = 768, RUFF = LENGTH + 60, NEED = RUFF + 8, TRUMPS = NEED + 36, NONE = TRUMPS + 50 };

static u64 state = 88172645463325252u;

static u32 rnd(u32 below)
{
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (u32)((state >> 11) % below);
}

static void shuffle(uint8_t *of, int count)
{
  for (int i = 0; i < count; i++) {
    int at = (int)rnd((u32)i + 1);
    uint8_t moved = of[i];
    of[i] = of[at];
    of[at] = moved;
  }
}

/* Every hand prefers some suits, by up to 64 to 1: the suit that comes first for it weighs `strength` times the next. */
static void skewed_deal(uint8_t deal[52])
{
  uint8_t cards[52], order[4][4], left[4] = {13, 13, 13, 13};
  u32 strength = 2u << rnd(2), weight[4];
  for (int i = 0; i < 52; i++) cards[i] = (uint8_t)i;
  for (int seat = 0; seat < 4; seat++) {
    for (int i = 0; i < 4; i++) order[seat][i] = (uint8_t)i;
    shuffle(order[seat], 4);
  }
  shuffle(cards, 52);
  for (int i = 0; i < 52; i++) {
    u32 sum = 0;
    for (int seat = 0; seat < 4; seat++) {
      weight[seat] = left[seat] > 0;
      for (int k = 0; order[seat][k] != cards[i] / 13; k++) weight[seat] *= strength;
      sum += weight[seat];
    }
    u32 chosen = rnd(sum);
    int seat = 0;
    while (chosen >= weight[seat]) chosen -= weight[seat++];
    deal[cards[i]] = (uint8_t)seat;
    left[seat]--;
  }
}
