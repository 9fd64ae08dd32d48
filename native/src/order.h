/* The order in which cards are tried. */

typedef struct {
  int ready, count, at;
  unsigned char card[16];
} order;

typedef struct {
  u32 *at, tag;
} hint;

/* The card that last cut the search off in a like situation. */
INLINE hint hint_find(bsdd_context *c, u64 key)
{
  key *= 0x9b8b4567327b23c7u;
  return (hint){c->hints + (key >> (64 - HINT_BITS)), (u32)(key >> 8) & 0xffffffc0u};
}
INLINE u64 hint_card(hint h) { return (*h.at & 0xffffffc0u) == h.tag ? BIT(*h.at & 63) : 0; }
INLINE void hint_save(hint h, u64 card) { *h.at = h.tag | (u32)LOW(card); }

#ifndef VAR
#define VAR 0
#endif
INLINE u64 hint_key_lead(int seat, u64 hand) { return hand ^ (u64)(seat + 1) << 60; }
INLINE u64 hint_key_follow(const trick *t, int seat, u64 hand, u64 win, int winner, int follows, const int k,
                           const int suit_contract)
{
  u64 place = (u64)(seat * 4 + k + 16);
  u64 x = 0, w = suit_contract ? (u64)LOW(win) + 1 : (u64)(winner + 1);
  if (follows) {
    if (VAR == 1) x = (u64)t->need;
    if (VAR == 2) x = hand;
    if (VAR == 3) x = (u64)COUNT(t->all & LANE0);
    if (VAR == 4) x = (u64)t->need >= (u64)t->n;
    return (t->all & t->lane) * 0x10001 + (u64)LOW(win) * 0x100000001b3u + (place << 57) + x * 0x3234567891234567u;
  }
  x = (u64)t->need;
  if (VAR == 6) x = (u64)LOW(t->lane);
  if (VAR == 7) w = (u64)LOW(win) + 1;
  if (VAR == 8) w = 0;
  if (VAR == 9) w = (u64)winner + 1, x = (u64)(win < LANE0);
  return hand + (place << 57) + w * 0x100000001b3u + x * 0x3234567891234567u;
}

INLINE void put(order *o, u64 card) { o->card[o->count++] = (unsigned char)LOW(card); }
INLINE void put_high_first(order *o, u64 set)
{
  for (; set; set &= set - 1) o->card[o->count++] = (unsigned char)LOW(set);
}
INLINE void put_low_first(order *o, u64 set)
{
  while (set) {
    int i = HIGH(set);
    o->card[o->count++] = (unsigned char)i;
    set ^= BIT(i);
  }
}
INLINE u64 order_next(order *o, u64 left)
{
  for (;;) {
    u64 card = BIT(o->card[o->at++]);
    if (card & left) return card;
  }
}
INLINE u64 top_of(u64 set) { return set & (0 - set); }
INLINE u64 bottom_of(u64 set) { return BIT(HIGH(set)); }

static void order_follow(order *o, const bsdd_context *c, const trick *t, int seat, u64 can, u64 win, int winner,
                         const int k, int follows, const int suit_contract)
{
  o->ready = 1, o->count = 0, o->at = 0;
  u64 next = k < 3 ? c->hand[(seat + 1) & 3] : 0, pard = c->hand[(seat + 2) & 3];
  int pard_wins = k >= 2 && winner == k - 2;
  u64 win_lane = lane_of_index(LOW(win));
  if (follows) {
    u64 lane = t->lane, better = win_lane == lane ? can & (win - 1) : 0;
    if (!better) {
      put_low_first(o, can);
      return;
    }
    u64 nx = next & lane, low = can & ~better;
    if (pard_wins) {
      if (k == 3 || !nx || LOW(win) < LOW(nx) || !(nx & (win - 1) & ~(top_of(can) - 1))) {
        put_low_first(o, can);
        return;
      }
    }
    if (k == 1) {
      u64 pd = pard & lane;
      if (pd && LOW(pd) < LOW(win) && (!nx || LOW(pd) < LOW(nx))) {
        put_low_first(o, can);
        return;
      }
    }
    if (k == 3 || !nx || HIGH(better) < LOW(nx)) put_low_first(o, better);
    else put_high_first(o, better);
    put_low_first(o, low);
    return;
  }
  if (suit_contract && (can & LANE0)) {
    u64 trumps = can & LANE0, nx = next & t->lane;
    if (!(pard_wins && (k == 3 || (nx && !beats(top_of(nx), win, 1))))) {
      u64 better = win & LANE0 ? trumps & (win - 1) : trumps;
      put_low_first(o, better);
      can &= ~better;
    }
  }
  u64 rest = can, small[4];
  int n = 0, length[4];
  for (int lane = suit_contract ? 1 : 0; lane < 4; lane++) {
    u64 suit = can & ((u64)LANE0 << (16 * lane));
    if (!suit) continue;
    u64 b = bottom_of(suit);
    rest ^= b;
    int l = COUNT(suit), i = n++;
    while (i > 0 && length[i - 1] < l) length[i] = length[i - 1], small[i] = small[i - 1], i--;
    length[i] = l, small[i] = b;
  }
  for (int i = 0; i < n; i++) put(o, small[i]);
  put_low_first(o, rest);
}

static void order_lead(order *o, const bsdd_context *c, const trick *t, int seat, u64 can, const int suit_contract)
{
  o->ready = 1, o->count = 0, o->at = 0;
  u64 left = c->hand[(seat + 1) & 3], pard = c->hand[(seat + 2) & 3], right = c->hand[(seat + 3) & 3];
  u64 me = c->hand[seat];
  u64 ruff = 0, good = 0, high = 0, other = 0, bad = 0, trumps = 0;
  for (int lane = 0; lane < 4; lane++) {
    u64 suit = (u64)LANE0 << (16 * lane), mine = can & suit;
    if (!mine) continue;
    u64 ends = top_of(mine) | bottom_of(mine);
    if (suit_contract) {
      if (lane == 0) {
        trumps = ends;
        continue;
      }
      if (((left & LANE0) && !(left & suit)) || ((right & LANE0) && !(right & suit))) continue;
    }
    u64 p = pard & suit, l = left & suit, r = right & suit, our = p | (me & suit), x = t->all & suit;
    u64 a = top_of(x), k, q, j, ten;
    x ^= a, k = top_of(x), x ^= k, q = top_of(x), x ^= q, j = top_of(x), x ^= j, ten = top_of(x);
    if (COUNT(p) >= 2 && COUNT(l) >= 2 &&
        (((p & k) && (l & a)) || ((p & a) && (l & k) && ((p & q) || ((our & q) && (our & j)))) ||
         ((p & k) && (l & q) && ((p & j) || ((our & j) && (our & ten)))))) {
      good |= ends;
      continue;
    }
    if (suit_contract && COUNT(me & suit) >= 2 && COUNT(r) >= 2 &&
        (((me & a) && (r & k)) || ((me & k) && (r & a) && !(our & q)))) {
      bad |= top_of(mine);
      continue;
    }
    if (l && r && COUNT(our & (a | k | q)) >= 2) {
      high |= ends;
      continue;
    }
    if (suit_contract && !p && l && r && (pard & LANE0) && COUNT(pard & LANE0) <= COUNT(me & LANE0) &&
        !(me & suit & a & bottom_of(mine))) {
      ruff |= bottom_of(mine);
      continue;
    }
    other |= ends;
  }
  put_high_first(o, ruff);
  put_high_first(o, good);
  put_high_first(o, high);
  put_high_first(o, other);
  put_high_first(o, bad);
  put_high_first(o, trumps);
  put_high_first(o, can & ~(ruff | good | high | other | bad | trumps));
}
