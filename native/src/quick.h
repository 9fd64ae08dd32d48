/* Tricks that a side is sure of at the start of a trick, with the ranks that make it so. */

/* The highest `count` cards of a suit. */
INLINE u64 keep_top(u64 suit, int count)
{
  int extra = COUNT(suit) - count;
  while (extra-- > 0) suit &= ~BIT(HIGH(suit));
  return suit;
}

/* Tricks that the hand `a`, on lead, cashes in a suit with the help of `b`; aw and bw are their top cards. Sets *entry
 * if b can put a on lead in the suit. */
INLINE int cash(u64 a, int aw, u64 b, int bw, int opp, int *entry)
{
  if (b && aw && LOW(a) < HIGH(b)) *entry = 1;
  int al = COUNT(a), bl = COUNT(b), sum;
  if (!bw) return aw >= opp && bl <= aw ? al : aw;
  if (!aw) return al ? (bw >= opp && al <= bw ? bl : bw) : 0;
  if (LOW(a) > HIGH(b)) return bw;
  if (HIGH(a) < LOW(b)) return aw >= opp && bl <= aw ? al : aw;
  sum = aw + bw - (bw == bl);
  return (sum >= opp && bw < bl && bl <= sum) || al < sum ? al : sum;
}

INLINE int max2(int a, int b) { return a > b ? a : b; }
INLINE int min2(int a, int b) { return a < b ? a : b; }

/* Trump tricks that a side must get whoever leads. Its j best trumps, where one of its hands has at least j trumps, can
 * be kept for j different tricks, and each better trump of the other side beats one of them at most. */
INLINE int trump_tricks_of(u64 ours, u64 theirs, int longest, u64 *win)
{
  int best = 0, better = 0, mine = 0;
  u64 at = 0;
  if (!theirs) return longest;
  while (ours && mine < longest) {
    u64 card = ours & (0 - ours), over = theirs & (card - 1);
    better = COUNT(over);
    if (better >= longest) break;
    ours ^= card;
    mine++;
    if (mine - better > best) best = mine - better, at = card;
  }
  if (at) *win |= at;
  return best;
}

/* The ranks behind the side-suit winners of one hand: no more of them than the other hands have cards. */
INLINE u64 winning_ranks(u64 me, u64 left, u64 pard, u64 right, u64 tops, int safe_left, int safe_right,
                         const int suit_contract)
{
  u64 win = 0;
  for (int lane = suit_contract ? 1 : 0; lane < 4; lane++) {
    u64 suit = (u64)LANE0 << (16 * lane), winners = me & tops & suit;
    if (!winners) continue;
    int nl = COUNT(left & suit), nr = COUNT(right & suit), most = max2(COUNT(pard & suit), max2(nl, nr));
    if (suit_contract && safe_left) most = min2(most, nl);
    if (suit_contract && safe_right) most = min2(most, nr);
    win |= keep_top(winners, most);
  }
  return win;
}

/* Tricks that the leader's side can take at once, if they are at least `need`; else something smaller. */
INLINE result sure_tricks(const u64 *hand, int leader, int n, int need, const int suit_contract)
{
  u64 me = hand[leader], left = hand[(leader + 1) & 3], pard = hand[(leader + 2) & 3], right = hand[(leader + 3) & 3];
  u64 ours = me | pard, theirs = left | right, tops = above(theirs) & ours, trump_win = 0;
  int trump_tricks = 0, trump_length = 0, drawn = 1, out = 0, drawn_tricks = 0;
  int mine = 0, pards = 0, across = 0, loss = 99, to_me = 0, to_pard = 0;
  int safe_left = 0, safe_right = 0; /* whether that hand can ruff */
  if (suit_contract) {
    int a = COUNT(me & LANE0), b = COUNT(pard & LANE0), my_tops = COUNT(tops & me & LANE0);
    trump_length = max2(a, b);
    out = max2(COUNT(left & LANE0), COUNT(right & LANE0));
    drawn = !out || (my_tops >= out && !(tops & pard & LANE0));
    if (drawn && out) drawn_tricks = b <= my_tops ? a : my_tops;
    else trump_tricks = trump_tricks_of(ours & LANE0, theirs & LANE0, trump_length, &trump_win);
    if (!drawn) safe_left = (left & LANE0) != 0, safe_right = (right & LANE0) != 0;
  }
  for (int lane = suit_contract ? 1 : 0; lane < 4; lane++) {
    u64 suit = (u64)LANE0 << (16 * lane), m = me & suit, p = pard & suit;
    if (!(ours & tops & suit)) continue;
    int opp_left = COUNT(left & suit), opp_right = COUNT(right & suit), opp = max2(opp_left, opp_right);
    int safe = suit_contract && safe_left ? opp_left : 13;
    if (suit_contract && safe_right) safe = min2(safe, opp_right);
    if (suit_contract && !safe) continue;
    int ml = min2(COUNT(m), safe), pl = min2(COUNT(p), safe);
    int a = min2(COUNT(m & tops), safe), b = min2(COUNT(p & tops), safe);
    if (!b) {
      int run = a >= opp && pl <= a ? ml : a;
      across += run;
      mine += run;
      if (p && a && LOW(m) < HIGH(p)) to_me = 1;
      pards += a && p ? (a >= opp && pl <= a ? ml : a) : 0;
      continue;
    }
    if (suit_contract && !drawn) {
      m = ml < COUNT(m) ? keep_top(m, ml) : m;
      p = pl < COUNT(p) ? keep_top(p, pl) : p;
    }
    int k = min2(a, pl - b);
    across += k + (!a && b >= opp && ml <= b ? pl : b);
    if (m && HIGH(m) > LOW(p)) loss = min2(loss, k == ml);
    mine += cash(m, a, p, b, opp, &to_me);
    pards += cash(p, b, m, a, opp, &to_pard);
  }
  int tricks = mine;
  if (to_pard && mine + drawn_tricks + trump_tricks < need) {
    tricks = max2(max2(mine, pards), across - loss);
  }
  /* Neither hand may have to spend trumps while the side suits are cashed. */
  tricks += drawn_tricks;
  if (trump_tricks && tricks > n - trump_length) tricks = max2(tricks, n - trump_length + trump_tricks);
  else tricks += trump_tricks;
  tricks = min2(tricks, n);
  if (tricks < need) return (result){0, tricks};
  u64 win = winning_ranks(me, left, pard, right, tops, safe_left, safe_right, suit_contract);
  if (to_pard) win |= winning_ranks(pard, left, me, right, tops, safe_left, safe_right, suit_contract);
  if (suit_contract) win |= drawn && out ? keep_top(tops & me & LANE0, out) : trump_win;
  return (result){win, tricks};
}

/* Tricks that the other side cannot be kept from. */
INLINE result sure_losers(const u64 *hand, u64 all, int leader, int n, const int suit_contract)
{
  u64 me = hand[leader], left = hand[(leader + 1) & 3], pard = hand[(leader + 2) & 3], right = hand[(leader + 3) & 3];
  (void)n;
  if (suit_contract && (all & LANE0)) {
    u64 win = 0;
    int count = trump_tricks_of((left | right) & LANE0, (me | pard) & LANE0,
                                max2(COUNT(left & LANE0), COUNT(right & LANE0)), &win);
    return (result){win, count};
  }
  u64 tops = 0;
  for (int lane = 0; lane < 4; lane++) {
    u64 suit = (u64)LANE0 << (16 * lane);
    if (!(me & suit)) continue;
    u64 top = all & suit;
    top &= 0 - top;
    if (top & (me | pard)) return (result){0, 0};
    tops |= top;
  }
  if ((tops & ~left) == 0 || (tops & ~right) == 0) return (result){tops, COUNT(tops)};
  return (result){tops, 1};
}
