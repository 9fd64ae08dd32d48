/* Tricks that a side is sure of at the start of a trick, with the ranks that make it so.
 *
 * Words: the leader's partner is `pard`; a winner is a card above all that the other side holds in its suit; the rest of a
 * hand's suit are losers. A claim about one suit stands as it is in no trumps; where the other side can ruff, only the
 * rounds of it are counted in which every hand that could ruff must follow. tests/test_bounds.c holds every claim, and
 * the ranks named with it, against a search that does without them. */

INLINE int max2(int a, int b) { return a > b ? a : b; }
INLINE int min2(int a, int b) { return a < b ? a : b; }

/* The highest `count` cards of a suit. */
INLINE u64 keep_top(u64 suit, int count)
{
  int extra = COUNT(suit) - count;
  while (extra-- > 0) suit &= ~BIT(HIGH(suit));
  return suit;
}

/* One hand has all winners of the suit and leads them: that many rounds. If by then no other hand has a card of the
 * suit, what it has left wins too. `others`: its partner's length; `theirs`: the longer one of the other side. */
INLINE int cash_alone(int length, int winners, int others, int theirs)
{
  return winners >= theirs && others <= winners ? length : winners;
}

/* Both hands have winners, and each has a card above one of the other's; `a` is on lead and has it again at the end.
 * Where b has a loser: a's losers go under b's winners, b leads the loser to a winner of a, who leads the others: every
 * winner of both makes a round. If that leaves nobody else a card of the suit, what a has left wins too.
 * Where b has winners alone: the same, but the lowest of them is led to a higher card of a, so one round is lost.
 * Where a has fewer cards than those rounds: a winner can be played to each of a's rounds; should b run out of cards
 * first, its last one is the one that a takes over. */
INLINE int cash_together(int al, int aw, int bl, int bw, int theirs)
{
  int rounds = aw + bw - (bw == bl);
  if (al <= rounds) return al;
  return bw < bl && rounds >= theirs && bl <= rounds ? al : rounds;
}

/* Rounds of a suit that the side wins with `a` on lead; aw and bw are how many winners the two hands have, and they have
 * one at least. The lead ends with a, or else with b, who needs no more help: suits of the first kind are played first. */
INLINE int cash(u64 a, int aw, u64 b, int bw, int theirs)
{
  int al = COUNT(a), bl = COUNT(b);
  if (!bw) return cash_alone(al, aw, bl, theirs);
  if (!aw) return al ? cash_alone(bl, bw, al, theirs) : 0; /* led to b; without a card of the suit a cannot get there */
  if (LOW(a) > HIGH(b)) return bw; /* all of b's cards are above a winner: b takes the lead and keeps it */
  if (HIGH(a) < LOW(b)) return aw; /* likewise all of a's */
  return cash_together(al, aw, bl, bw, theirs);
}

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

/* Trump tricks of a hand that plays behind another: while it is on lead with nothing but trumps, and in all other positions. */
typedef struct {
  int leading, waiting;
} trump_wins;

INLINE int without(int owners, int place)
{
  int above = (1 << place) - 1;
  return (owners & above) | (owners >> 1 & ~above);
}

/* Two hands and their trumps: the one in front plays any of them, or none where it need not follow; the one behind answers
 * with the lowest that wins or gives up its worst one; where it leads, its highest, lowest or a spare, it is answered. `owners` has
 * a bit for each trump, the highest first, set for the hand behind, and another bit at the end; `spare` trumps
 * of the hand behind win nothing. What comes of it holds in every position: a card of another suit, led in place of a trump, wins
 * a trick or gives up the lead, and one played in place of a trump leaves more. `known` keeps it, as 1 and more. */
static trump_wins two_hands(unsigned char *known, int owners, int spare)
{
  unsigned char *kept = known + ((owners << 1 | 1) << spare);
  int end = HIGH((u64)owners), mine = owners ^ 1 << end, count = COUNT((u64)mine);
  if (!*kept) {
    trump_wins w = {count, count};
    if (count && count < end) {
      int best = LOW((u64)mine), worst = HIGH((u64)mine), leading[3] = {99, 99, spare ? 99 : 0};
      w.waiting = 1 + two_hands(known, without(owners, worst), spare).leading;
      if (spare) w.waiting = max2(w.waiting, two_hands(known, owners, spare - 1).waiting);
      for (int place = 0; place < end; place++) {
        if (mine >> place & 1) continue;
        int rest = without(owners, place), over = mine & ((1 << place) - 1), lowest = worst - (worst > place);
        int given_up = two_hands(known, spare ? rest : without(rest, lowest), spare - (spare > 0)).waiting, answered = given_up;
        if (over) answered = max2(answered, 1 + two_hands(known, without(rest, HIGH((u64)over)), spare).leading);
        w.waiting = min2(w.waiting, answered);
        for (int i = 0; i < 2; i++) {
          int card = i ? worst : best;
          trump_wins then = two_hands(known, without(rest, card - (card > place)), spare);
          leading[i] = min2(leading[i], card > place ? then.waiting : 1 + then.leading);
        }
        leading[2] = min2(leading[2], given_up);
      }
      w.leading = max2(max2(leading[0], leading[1]), leading[2]);
    }
    *kept = (unsigned char)(1 + w.leading * 14 + w.waiting);
  }
  return (trump_wins){(*kept - 1) / 14, (*kept - 1) % 14};
}

/* As many trump tricks of a hand behind another as are asked for, or none. Those of its trumps that the third hand, of
 * the other side too, could beat are spare. Below the ranks named, the hand in front is taken to have the best. */
static result trumps_behind(unsigned char *known, u64 me, u64 front, u64 other, int waiting, int enough)
{
  me &= LANE0, front &= LANE0, other &= LANE0;
  u64 high = other ? me & (other - 1) & ~other : me, seen = high | front, win = 0;
  if (!front || COUNT(high) < enough) return (result){0, 0};
  int owners = 0, top = 0, worse = 0, mine = COUNT(me ^ high), theirs = 0;
  for (u64 left = seen; left; left &= left - 1) owners |= ((left & (0 - left) & high) != 0) << top++;
  for (;;) {
    int low = other ? 0 : mine;
    trump_wins w = two_hands(known, (owners & ((1 << top) - 1)) | ((2 << low) - 1) << (top + theirs), mine - low);
    if ((waiting ? w.waiting : w.leading) < enough) break;
    worse = 1;
    if (!top) return (result){0, enough};
    win = BIT(HIGH(seen));
    seen ^= win;
    top--;
    if (win & high) mine++;
    else theirs++;
  }
  return (result){win, worse ? enough : 0};
}

/* What the leader's side makes of its trumps: `drawn` at once by leading them, or `kept` at any time. */
typedef struct {
  int drawn, kept;
  int longest; /* of the side's two hands */
  int ruffs_left, ruffs_right; /* whether that hand can ruff the side suits */
  u64 ranks;
} trump_plan;

INLINE trump_plan plan_trumps(u64 me, u64 left, u64 pard, u64 right, u64 tops)
{
  int mine = COUNT(me & LANE0), pards = COUNT(pard & LANE0), winners = COUNT(tops & me & LANE0);
  int theirs = max2(COUNT(left & LANE0), COUNT(right & LANE0));
  trump_plan plan = {0, 0, max2(mine, pards), 0, 0, 0};
  if (theirs && winners >= theirs && !(tops & pard & LANE0)) {
    /* The leader's winners fetch every trump of the others; where partner has none left either, all of them win. */
    plan.drawn = cash_alone(mine, winners, pards, 0);
    plan.ranks = keep_top(tops & me & LANE0, theirs);
    return plan;
  }
  plan.kept = trump_tricks_of((me | pard) & LANE0, (left | right) & LANE0, plan.longest, &plan.ranks);
  plan.ruffs_left = (left & LANE0) != 0, plan.ruffs_right = (right & LANE0) != 0;
  return plan;
}

/* The ranks behind the side-suit winners of one hand: no more of them than the other hands have cards. */
INLINE u64 winning_ranks(u64 me, u64 left, u64 pard, u64 right, u64 tops, const trump_plan *trumps, const int suit_contract)
{
  u64 win = 0;
  for (int lane = suit_contract ? 1 : 0; lane < 4; lane++) {
    u64 suit = (u64)LANE0 << (16 * lane), winners = me & tops & suit;
    if (!winners) continue;
    int nl = COUNT(left & suit), nr = COUNT(right & suit), most = max2(COUNT(pard & suit), max2(nl, nr));
    if (suit_contract && trumps->ruffs_left) most = min2(most, nl);
    if (suit_contract && trumps->ruffs_right) most = min2(most, nr);
    win |= keep_top(winners, most);
  }
  return win;
}

/* Tricks that the leader's side can take at once, if they are at least `need`; else something smaller. Of three ways the
 * best: the leader cashes suit after suit; or partner does, to whom the leader goes by the first trick of that; or the
 * leader cashes the winners to which partner has losers to play, and then crosses to all of partner's. */
INLINE result sure_tricks(unsigned char *known, const u64 *hand, int leader, int n, int need, const int suit_contract)
{
  u64 me = hand[leader], left = hand[(leader + 1) & 3], pard = hand[(leader + 2) & 3], right = hand[(leader + 3) & 3];
  u64 ours = me | pard, tops = above(left | right) & ours;
  trump_plan trumps = {0, 0, 0, 0, 0, 0};
  if (suit_contract) trumps = plan_trumps(me, left, pard, right, tops);
  enum { NO_WAY = 99 };
  int mine = 0, pards = 0, across = 0, crossing_costs = NO_WAY;
  for (int lane = suit_contract ? 1 : 0; lane < 4; lane++) {
    u64 suit = (u64)LANE0 << (16 * lane), m = me & suit, p = pard & suit;
    if (!(ours & tops & suit)) continue;
    int on_left = COUNT(left & suit), on_right = COUNT(right & suit), theirs = max2(on_left, on_right), safe = 13;
    if (suit_contract && trumps.ruffs_left) safe = on_left;
    if (suit_contract && trumps.ruffs_right) safe = min2(safe, on_right);
    if (suit_contract && !safe) continue;
    int ml = min2(COUNT(m), safe), mw = min2(COUNT(m & tops), safe);
    int pl = min2(COUNT(p), safe), pw = min2(COUNT(p & tops), safe);
    if (!pw) {
      int rounds = cash_alone(ml, mw, pl, theirs);
      mine += rounds, across += rounds;
      if (p) pards += rounds; /* led to the leader, who has all winners */
      continue;
    }
    if (suit_contract && safe < 13) {
      m = ml < COUNT(m) ? keep_top(m, ml) : m;
      p = pl < COUNT(p) ? keep_top(p, pl) : p;
    }
    int before = min2(mw, pl - pw);
    across += before + (mw ? pw : cash_alone(pl, pw, ml, theirs));
    /* The way across: a card below one of partner's, which costs a trick where it is one of those winners. */
    if (m && HIGH(m) > LOW(p)) crossing_costs = min2(crossing_costs, before == ml);
    mine += cash(m, mw, p, pw, theirs);
    pards += cash(p, pw, m, mw, theirs);
  }
  int tricks = mine;
  if (crossing_costs != NO_WAY && mine + trumps.drawn + trumps.kept < need)
    tricks = max2(max2(mine, pards), across - crossing_costs);
  int cashed = tricks;
  tricks += trumps.drawn;
  /* Trumps that win at any time add to that, as long as neither hand has to spend one while the side suits are cashed. */
  if (trumps.kept && tricks > n - trumps.longest) tricks = max2(tricks, n - trumps.longest + trumps.kept);
  else tricks += trumps.kept;
  tricks = min2(tricks, n);
  for (int i = 0; suit_contract && !trumps.drawn && tricks < need && i < 2; i++) {
    /* So do those of a hand behind another; it may be on lead when the side suits are cashed. */
    u64 x = i ? pard : me;
    int first = min2(cashed, n - COUNT(x & LANE0)), waiting = first < n - COUNT(x & LANE0) || (i && !first);
    result behind = trumps_behind(known, x, i ? left : right, i ? right : left, waiting, need - first);
    if (!behind.value) continue;
    if (!first) return behind;
    tricks = need, trumps.ranks = behind.win;
  }
  if (tricks < need) return (result){0, tricks};
  u64 win = winning_ranks(me, left, pard, right, tops, &trumps, suit_contract);
  if (crossing_costs != NO_WAY) win |= winning_ranks(pard, left, me, right, tops, &trumps, suit_contract);
  return (result){win | trumps.ranks, tricks};
}

/* Rounds that a hand wins by itself once it has the lead, and its cards above all others, which make it so. */
INLINE int alone(u64 hand, u64 pard, u64 left, u64 right, u64 *tops)
{
  int rounds = 0;
  *tops = above(pard | left | right) & hand;
  for (int lane = 0; lane < 4; lane++) {
    u64 suit = (u64)LANE0 << (16 * lane);
    int winners = COUNT(*tops & suit);
    if (winners)
      rounds += cash_alone(COUNT(hand & suit), winners, COUNT(pard & suit), max2(COUNT(left & suit), COUNT(right & suit)));
  }
  return rounds;
}

/* The other side has the highest card of every suit that the leader can lead, so it wins this trick; and the hand that has
 * it has the lead then, and takes what it can by itself. If `enough` is no more than one trick, the first is all that
 * is looked at, since it names fewer ranks. */
INLINE result sure_winners_against(u64 me, u64 left, u64 pard, u64 right, u64 all, int enough)
{
  u64 tops = 0;
  for (int lane = 0; lane < 4; lane++) {
    u64 suit = (u64)LANE0 << (16 * lane), top = all & suit;
    if (!(me & suit)) continue;
    top &= 0 - top;
    if (top & (me | pard)) return (result){0, 0};
    tops |= top;
  }
  if (enough <= 1) return (result){tops, 1};
  u64 of_left = 0, of_right = 0;
  int by_left = tops & left ? alone(left, right, pard, me, &of_left) : 99;
  int by_right = tops & right ? alone(right, left, me, pard, &of_right) : 99;
  return (result){of_left | of_right, min2(by_left, by_right)};
}

/* Tricks that the other side cannot be kept from: by trumps while there are any, else by the highest cards. */
INLINE result sure_losers(unsigned char *known, const u64 *hand, u64 all, int leader, int enough, const int suit_contract)
{
  u64 me = hand[leader], left = hand[(leader + 1) & 3], pard = hand[(leader + 2) & 3], right = hand[(leader + 3) & 3];
  if (!suit_contract || !(all & LANE0)) return sure_winners_against(me, left, pard, right, all, enough);
  u64 win = 0;
  int longest = max2(COUNT(left & LANE0), COUNT(right & LANE0));
  int tricks = trump_tricks_of((left | right) & LANE0, (me | pard) & LANE0, longest, &win);
  if (tricks >= enough) return (result){win, tricks};
  result behind = trumps_behind(known, left, me, pard, 1, enough);
  return behind.value ? behind : trumps_behind(known, right, pard, me, 1, enough);
}
