/* The order in which cards are tried. */

#ifndef WEIGHTS
#define WEIGHTS "weights.h"
#endif
#include WEIGHTS

/* The cards of a hand in the order in which they are tried. */
typedef struct {
  int ready, count, at;
  unsigned char card[16];
} queue;

typedef struct {
  u32 *at, tag;
} hint_place;

/* The card that last cut the search off in a like situation. */
INLINE hint_place hint_find(bsdd_context *c, u64 key)
{
  key *= 0x9b8b4567327b23c7u;
  return (hint_place){c->hints + (key >> (64 - c->hint_bits)), (u32)(key >> 8) & 0xffffffc0u};
}
INLINE u64 hint_card(hint_place h) { return (*h.at & 0xffffffc0u) == h.tag ? BIT(*h.at & 63) : 0; }
INLINE void hint_save(hint_place h, u64 card) { *h.at = h.tag | (u32)LOW(card); }

INLINE u64 hint_key_lead(int seat, u64 hand) { return hand ^ (u64)(seat + 1) << 60; }
/* Following suit: the cards in play of the suit and the one that wins; else the whole hand, what wins and the tricks needed. */
INLINE u64 hint_key_follow(const trick *t, int seat, u64 hand, u64 win, int winner, int follows, const int k,
                           const int suit_contract)
{
  u64 place = (u64)(seat * 4 + k + 16) << 57, wins = suit_contract ? (u64)LOW(win) + 1 : (u64)(winner + 1);
  if (follows) return (t->all & t->lane) * 0x10001 + (u64)LOW(win) * 0x100000001b3u + place;
  return hand + place + wins * 0x100000001b3u + (u64)t->need * 0x3234567891234567u;
}

INLINE void put(queue *q, u64 card) { q->card[q->count++] = (unsigned char)LOW(card); }
INLINE void put_high_first(queue *q, u64 set)
{
  for (; set; set &= set - 1) q->card[q->count++] = (unsigned char)LOW(set);
}
INLINE void put_low_first(queue *q, u64 set)
{
  while (set) {
    int i = HIGH(set);
    q->card[q->count++] = (unsigned char)i;
    set ^= BIT(i);
  }
}
INLINE u64 queue_next(queue *q, u64 left)
{
  for (;;) {
    u64 card = BIT(q->card[q->at++]);
    if (card & left) return card;
  }
}
INLINE u64 top_of(u64 set) { return set & (0 - set); }
INLINE u64 bottom_of(u64 set) { return BIT(HIGH(set)); }

static void order_follow(queue *q, const bsdd_context *c, const trick *t, int seat, u64 can, u64 win, int winner,
                         const int k, int follows, const int suit_contract)
{
  q->ready = 1, q->count = 0, q->at = 0;
  u64 next = k < 3 ? c->hand[(seat + 1) & 3] : 0, pard = c->hand[(seat + 2) & 3];
  int pard_wins = k >= 2 && winner == k - 2;
  if (follows) {
    u64 lane = t->lane, better = win & lane ? can & (win - 1) : 0;
    if (!better) {
      put_low_first(q, can);
      return;
    }
    u64 nx = next & lane, low = can & ~better;
    if (pard_wins) {
      if (k == 3 || !nx || LOW(win) < LOW(nx) || !(nx & (win - 1) & ~(top_of(can) - 1))) {
        put_low_first(q, can);
        return;
      }
    }
    if (k == 1) {
      u64 pd = pard & lane;
      if (pd && LOW(pd) < LOW(win) && (!nx || LOW(pd) < LOW(nx))) {
        put_low_first(q, can);
        return;
      }
    }
    if (k == 3 || !nx || HIGH(better) < LOW(nx)) put_low_first(q, better);
    else put_high_first(q, better);
    put_low_first(q, low);
    return;
  }
  if (suit_contract && (can & LANE0)) {
    u64 trumps = can & LANE0, nx = next & t->lane, pards = pard & t->lane;
    /* Nor is a ruff needed in front of a hand that cannot win the trick, where partner behind it can. */
    int pard_can = k == 1 && !nx && !(next & LANE0) && pards && beats(top_of(pards), win, t->lane, 1);
    if (!pard_can && !(pard_wins && (k == 3 || (nx && !beats(top_of(nx), win, t->lane, 1))))) {
      u64 better = win & LANE0 ? trumps & (win - 1) : trumps;
      /* One that nobody can beat is enough: where it fails, a higher one mostly does too. */
      if (!(win & LANE0) && (k == 3 || nx || !(next & LANE0))) better = bottom_of(trumps);
      put_low_first(q, better);
      can &= ~better;
    }
  }
  /* Discards: first the lowest card of a suit that is long here, short with the other side, and held by partner too. */
  u64 rest = can, small[4];
  int n = 0, worth[4];
  for (int lane = suit_contract ? 1 : 0; lane < 4; lane++) {
    u64 suit = (u64)LANE0 << (16 * lane), b;
    if (!(can & suit)) continue;
    rest ^= b = bottom_of(can & suit);
    int theirs = max2(COUNT(c->hand[(seat + 1) & 3] & suit), COUNT(c->hand[(seat + 3) & 3] & suit));
    int w = 8 * COUNT(c->hand[seat] & suit) - 2 * theirs + ((pard & suit) != 0), i = n++;
    while (i > 0 && worth[i - 1] < w) worth[i] = worth[i - 1], small[i] = small[i - 1], i--;
    worth[i] = w, small[i] = b;
  }
  for (int i = 0; i < n; i++) put(q, small[i]);
  put_low_first(q, rest);
}

/* What a lead is judged by, beside the tricks needed and its place in the suit. */
typedef struct {
  int kind;   /* 0 no trumps, 1 a side suit, 2 trumps */
  int owners; /* of the three best cards, seats counted from the leader: low bits, high bits */
  int ruff;   /* who is void with a trump: 1 the next seat, 2 partner, 4 the last */
  int length[4];
} lead_suit;

/* The hands, lo and hi are counted from the leader; the suit's ranks are the lowest of lo and hi. */
INLINE lead_suit judge_suit(const u64 *hand, int lane, int all, u64 lo, u64 hi, const int suit_contract)
{
  u64 suit = (u64)LANE0 << (16 * lane);
  int best_three = all < 3 ? (1 << all) - 1 : 7;
  lead_suit s = {.kind = !suit_contract ? 0 : lane ? 1 : 2, .ruff = 0};
  for (int k = 0; k < 4; k++) s.length[k] = min2(COUNT(hand[k] & suit), 4);
  if (s.kind == 1)
    for (int k = 1; k < 4; k++) s.ruff |= (!s.length[k] && (hand[k] & LANE0)) << (k - 1);
  s.owners = (int)(lo & (u64)best_three) | (int)(hi & (u64)best_three) << 3;
  return s;
}

/* Trumps of both sides, up to four each. */
INLINE int judge_trumps(const u64 *hand)
{
  return min2(COUNT((hand[0] | hand[2]) & LANE0), 4) * 5 + min2(COUNT((hand[1] | hand[3]) & LANE0), 4);
}

/* One, all, or another number of the tricks left. */
INLINE int judge_need(const trick *t) { return t->need == 1 ? 0 : t->need == t->n ? 1 : 2; }

enum { TOP, BOTTOM, BETWEEN, ONLY }; /* a card's place among those of its suit that are tried */
INLINE int place_of(u64 left, u64 mine) { return left & (left - 1) ? (left == mine ? TOP : BETWEEN) : left == mine ? ONLY : BOTTOM; }

/* How likely each lead is to be the one that works, and cheaply: a sum of learnt weights (see ../train). */
static void order_lead(queue *q, const bsdd_context *c, const trick *t, int seat, u64 can, const int suit_contract)
{
  q->ready = 1, q->at = 0;
  u64 hand[4];
  for (int k = 0; k < 4; k++) hand[k] = c->hand[(seat + k) & 3];
  u64 lo = t->lo, hi = t->hi;
  if (!suit_contract && UNLIKELY(t->suits != SUITS_AS_THEY_ARE)) {
    PACKER(t->all);
    lo = PACK(hand[1] | hand[3], t->all), hi = PACK(hand[2] | hand[3], t->all);
  }
  int n = 0, score[16], need = judge_need(t), trumps = suit_contract ? judge_trumps(hand) : 0;
  for (int lane = 0; lane < 4; lane++) {
    u64 suit = (u64)LANE0 << (16 * lane), mine = can & suit;
    int all = COUNT(t->all & suit);
    if (mine) {
      lead_suit s = judge_suit(hand, lane, all, lo, hi, suit_contract);
      int base = lead_ruff[s.ruff];
      if (suit_contract) base += lead_trumps[s.kind == 2][trumps];
      for (int k = 0; k < 4; k++) base += lead_length[k][s.kind][s.length[k]];
      for (u64 x = mine; x; x &= x - 1) {
        int place = place_of(x, mine), sum = base + lead_owners[s.kind][s.owners][place] + lead_need[s.kind][need][place], i = n++;
        for (; i > 0 && score[i - 1] < sum; i--) score[i] = score[i - 1], q->card[i] = q->card[i - 1];
        score[i] = sum;
        q->card[i] = (unsigned char)LOW(x);
      }
    }
    lo >>= all, hi >>= all;
  }
  q->count = n;
}
