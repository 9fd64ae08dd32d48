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

/* Tricks that the leader's side can take at once. */
INLINE result sure_tricks(const u64 *hand, u64 all, int leader, int n, const int suit_contract)
{
  u64 me = hand[leader], left = hand[(leader + 1) & 3], pard = hand[(leader + 2) & 3], right = hand[(leader + 3) & 3];
  u64 ours = me | pard, theirs = left | right, tops = above(theirs) & ours;
  u64 my_win = 0, pard_win = 0;
  int trump_tricks = 0, trump_length = 0, drawn = 0, drawn_tricks = 0, mine = 0, pards = 0, across = 0, loss = 99, to_me = 0, to_pard = 0;
  (void)all;
  if (suit_contract) {
    int a = COUNT(me & LANE0), b = COUNT(pard & LANE0), longest = max2(a, b);
    trump_length = longest;
    int out = max2(COUNT(left & LANE0), COUNT(right & LANE0)), my_tops = COUNT(tops & me & LANE0);
    drawn = !out || (my_tops >= out && !(tops & pard & LANE0));
    if (drawn && out) {
      my_win = keep_top(tops & me & LANE0, out);
      drawn_tricks = b <= my_tops ? a : my_tops;
    } else
    trump_tricks = trump_tricks_of(ours & LANE0, theirs & LANE0, longest, &my_win);
  }
  for (int lane = suit_contract ? 1 : 0; lane < 4; lane++) {
    u64 suit = (u64)LANE0 << (16 * lane);
    u64 m = me & suit, p = pard & suit, l = left & suit, r = right & suit, t = tops & suit;
    int nm = COUNT(m), np = COUNT(p), nl = COUNT(l), nr = COUNT(r);
    int my_most = max2(np, max2(nl, nr)), pard_most = max2(nm, max2(nl, nr));
    if (suit_contract && !drawn) {
      int safe = 13;
      if (left & LANE0) safe = nl;
      if (right & LANE0) safe = min2(safe, nr);
      if (nm > safe) m = keep_top(m, safe);
      if (np > safe) p = keep_top(p, safe);
    }
    u64 mw = m & t, pw = p & t;
    int a = COUNT(mw), b = COUNT(pw);
    my_win |= keep_top(mw, my_most);
    pard_win |= keep_top(pw, pard_most);
    int opp = max2(nl, nr), ml = COUNT(m), pl = COUNT(p);
    if (!b) across += a >= opp && pl <= a ? ml : a;
    else {
      int k = min2(a, pl - b);
      across += k + (!a && b >= opp && ml <= b ? pl : b);
      if (m && HIGH(m) > LOW(p)) loss = min2(loss, k == ml);
    }
    mine += cash(m, a, p, b, max2(nl, nr), &to_me);
    pards += cash(p, b, m, a, max2(nl, nr), &to_pard);
  }
  int tricks = mine;
  if (to_pard) {
    tricks = max2(max2(mine, pards), across - loss);
    my_win |= pard_win;
  }
  /* Neither hand may have to spend trumps while the side suits are cashed. */
  tricks += drawn_tricks;
  if (trump_tricks && tricks > n - trump_length) tricks = max2(tricks, n - trump_length + trump_tricks);
  else tricks += trump_tricks;
  return (result){my_win, min2(tricks, n)};
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
