/* The search, compiled once for any processor and once with BMI2: the including file defines PACK, UNPACK, NAME. */
#include "internal.h"

typedef struct {
  u64 all;  /* cards in play when the trick began */
  u64 lane; /* the suit led */
  u64 key;  /* suit lengths */
  u64 lo, hi; /* owners of the ranks, as in a pattern */
  u32 suits;  /* their order, there */
  int leader, n, need;
} trick;

#include "quick.h"
#include "order.h"
#include "lookup.h"

#ifdef BSDD_NO_BOUNDS /* for the test that proves the bounds */
#define SURE_TRICKS(known, hand, leader, n, need, suit_contract) ((void)(leader), (result){0, 0})
#define SURE_LOSERS(known, hand, all, leader, enough, suit_contract) ((result){0, 0})
#else
#define SURE_TRICKS sure_tricks
#define SURE_LOSERS sure_losers
#endif

#ifndef SAMPLE_LEAD /* see ../train/sample.c */
#define SAMPLE_LEAD(c, t, left, suit_contract) ((void)0)
#endif

static result NAME(lead_nt)(bsdd_context *c, u64 all, u64 key, int leader, int n, int need);
static result NAME(lead_suit)(bsdd_context *c, u64 all, u64 key, int leader, int n, int need);

/* The last card of each hand. */
INLINE result last_trick(const bsdd_context *c, int leader, int suit_contract)
{
  u64 first = c->hand[leader], led = lane_of_index(LOW(first)), win = first, all = first;
  int winner = 0;
  for (int k = 1; k < 4; k++) {
    u64 card = c->hand[(leader + k) & 3];
    all |= card;
    if (beats(card, win, led, suit_contract)) win = card, winner = k;
  }
  u64 lane = suit_contract && win <= LANE0 ? LANE0 : led;
  return (result){(all & lane) == win ? 0 : win, !(winner & 1)};
}

/* After the fourth card: the result of the trick and of what follows, for the side that led it. */
INLINE result next_trick(bsdd_context *c, const trick *t, u64 played, u64 win, int winner, u64 key, int suit_contract)
{
  int n = t->n - 1, leader = (t->leader + winner) & 3, lost = winner & 1;
  u64 rank = played & (suit_contract && win <= LANE0 ? LANE0 : t->lane);
  if (rank == win) rank = 0;
  else rank = win;
  int need = lost ? t->n - t->need : t->need - 1;
  result r;
  if (need <= 0) r = (result){0, 0};
  else if (need > n) r = (result){0, n};
  else if (n == 1) r = last_trick(c, leader, suit_contract);
  else {
    u64 all = t->all & ~played;
    r = suit_contract ? NAME(lead_suit)(c, all, key, leader, n, need) : NAME(lead_nt)(c, all, key, leader, n, need);
  }
  return (result){r.win | rank, lost ? n - r.value : r.value + 1};
}

#define BETTER(k, r, t) ((k) & 1 ? (r).value < (t)->need : (r).value >= (t)->need)

/* The loop over the cards of the seat that plays as number k to the trick. k and suit_contract are constants. */
INLINE result follow(bsdd_context *c, trick *t, u64 played, u64 win, int winner, u64 key, const int k,
                     const int suit_contract);

#define SEAT_FUNCTION(k, name, suit_contract)                                                        \
  static result NAME(name)(bsdd_context *c, trick *t, u64 played, u64 win, int winner, u64 key)      \
  {                                                                                                  \
    return follow(c, t, played, win, winner, key, k, suit_contract);                                 \
  }

static result NAME(fourth_nt)(bsdd_context *c, trick *t, u64 played, u64 win, int winner, u64 key);
static result NAME(fourth_suit)(bsdd_context *c, trick *t, u64 played, u64 win, int winner, u64 key);
static result NAME(third_nt)(bsdd_context *c, trick *t, u64 played, u64 win, int winner, u64 key);
static result NAME(third_suit)(bsdd_context *c, trick *t, u64 played, u64 win, int winner, u64 key);
static result NAME(second_nt)(bsdd_context *c, trick *t, u64 played, u64 win, int winner, u64 key);
static result NAME(second_suit)(bsdd_context *c, trick *t, u64 played, u64 win, int winner, u64 key);

/* Plays `card` as number k to the trick and searches on. */
INLINE result play(bsdd_context *c, trick *t, u64 card, int seat, u64 played, u64 win, int winner, u64 key, const int k,
                   const int suit_contract)
{
  int index = LOW(card);
  c->nodes++;
  c->hand[seat] ^= card;
  key -= shape_of(seat, index >> 4);
  result r;
  if (k == 0) {
    t->lane = lane_of_index(index);
    r = suit_contract ? NAME(second_suit)(c, t, card, card, 0, key) : NAME(second_nt)(c, t, card, card, 0, key);
  } else {
    if (beats(card, win, t->lane, suit_contract)) win = card, winner = k;
    played |= card;
    if (k == 1)
      r = suit_contract ? NAME(third_suit)(c, t, played, win, winner, key)
                        : NAME(third_nt)(c, t, played, win, winner, key);
    else if (k == 2)
      r = suit_contract ? NAME(fourth_suit)(c, t, played, win, winner, key)
                        : NAME(fourth_nt)(c, t, played, win, winner, key);
    else r = next_trick(c, t, played, win, winner, key, suit_contract);
  }
  c->hand[seat] ^= card;
  return r;
}

/* What is left to try after `card` failed, and the ranks that this failure needs. */
INLINE void after_failure(u64 card, u64 hand, u64 tops, u64 *left, result *sum, result r, const int k)
{
  u64 lane = lane_of_index(LOW(card)), mattered = r.win & lane;
  sum->win |= r.win;
  if (k & 1 ? r.value < sum->value : r.value > sum->value) sum->value = r.value;
  *left &= ~card;
  if (mattered < card) {
    /* Its rank did not matter, so any card below the lowest rank that did would have done the same. */
    *left &= mattered ? ~lane | (~(u64)0 >> (63 - HIGH(mattered))) : ~lane;
  } else {
    /* Its equals were left out because they are equals: that needs their ranks. */
    u64 next = tops & lane & ~(card | (card - 1));
    sum->win |= hand & lane & ~(card - 1) & ((next & (0 - next)) - 1);
  }
}

INLINE result follow(bsdd_context *c, trick *t, u64 played, u64 win, int winner, u64 key, const int k,
                     const int suit_contract)
{
  int seat = (t->leader + k) & 3;
  u64 hand = c->hand[seat], can = hand & t->lane;
  int follows = can != 0;
  if (!follows) can = hand;
  const u64 tops = tops_of_runs(can, t->all);
  u64 left = tops;
  if ((left & (left - 1)) == 0) {
    result r = play(c, t, left, seat, played, win, winner, key, k, suit_contract);
    if (!BETTER(k, r, t) && left != can && (r.win & lane_of_index(LOW(left))) >= left) r.win |= can;
    return r;
  }
  hint_place hint = hint_find(c, hint_key_follow(t, seat, hand, win, winner, follows, k, suit_contract));
  result sum = {0, k & 1 ? 99 : -1};
  u64 card = hint_card(hint);
  queue q;
  q.ready = 0;
  if (!(card & left)) {
    order_follow(&q, c, t, seat, left, win, winner, k, follows, suit_contract);
    card = queue_next(&q, left);
  }
  for (;;) {
    result r = play(c, t, card, seat, played, win, winner, key, k, suit_contract);
    if (BETTER(k, r, t)) {
      hint_save(hint, card);
      return r;
    }
    after_failure(card, can, tops, &left, &sum, r, k);
    if (!left) return sum;
    if (!q.ready) order_follow(&q, c, t, seat, left, win, winner, k, follows, suit_contract);
    card = queue_next(&q, left);
  }
}

SEAT_FUNCTION(3, fourth_nt, 0)
SEAT_FUNCTION(3, fourth_suit, 1)
SEAT_FUNCTION(2, third_nt, 0)
SEAT_FUNCTION(2, third_suit, 1)
SEAT_FUNCTION(1, second_nt, 0)
SEAT_FUNCTION(1, second_suit, 1)

/* The leader's loop; nothing is known of the position. */
INLINE result lead_loop(bsdd_context *c, trick *t, const int suit_contract)
{
  int seat = t->leader;
  const u64 hand = c->hand[seat], tops = tops_of_runs(hand, t->all);
  u64 left = tops;
  hint_place hint = hint_find(c, hint_key_lead(seat, hand));
  result sum = {0, -1};
  u64 card = hint_card(hint);
  queue q;
  q.ready = 0;
  if (!(card & left)) {
    SAMPLE_LEAD(c, t, left, suit_contract);
    order_lead(&q, c, t, seat, left, suit_contract);
    card = queue_next(&q, left);
  }
  for (;;) {
    result r = play(c, t, card, seat, 0, 0, 0, t->key, 0, suit_contract);
    if (r.value >= t->need) {
      hint_save(hint, card);
      return r;
    }
    after_failure(card, hand, tops, &left, &sum, r, 0);
    if (!left) return sum;
    if (!q.ready) order_lead(&q, c, t, seat, left, suit_contract);
    card = queue_next(&q, left);
  }
}

/* The smallest set of top ranks that tells the same as `win`: the lowest run of a suit, all of it in one hand, follows from the
 * suit lengths. */
INLINE u64 ranks_needed(const u64 *hand, u64 all, u64 win)
{
  u64 down = down_to(win) & all;
  u64 rest = down;
  for (int lane = 0; lane < 4; lane++) {
    u64 suit = all & ((u64)LANE0 << (lane * 16));
    if (!(down & suit)) continue;
    u64 bottom = BIT(HIGH(suit)), others = suit;
    for (int seat = 0; seat < 4; seat++)
      if (hand[seat] & bottom) others = suit & ~hand[seat];
    rest &= others ? ~suit | (~(u64)0 >> (63 - HIGH(others))) : ~suit;
  }
  return rest;
}

/* What the table did not know: sure tricks, else the search, and back into the table. */
INLINE result lead_unknown(bsdd_context *c, trick *t, slot *s, u64 full_key, int undecided, const int suit_contract)
{
  const u64 *hand = c->hand;
  u64 all = t->all, lo = t->lo, hi = t->hi;
  int leader = t->leader, n = t->n, need = t->need;
  u32 generation = c->table.generation;
  result r = SURE_TRICKS(c->two_hands, hand, leader, n, need, suit_contract);
  if (r.value < need) {
    r = SURE_LOSERS(c->two_hands, hand, all, leader, n - need + 1, suit_contract);
    r.value = n - r.value;
    if (r.value >= need) r = lead_loop(c, t, suit_contract);
  }
  u64 ranks = ranks_needed(hand, all, r.win), mask = ranks;
  if (!suit_contract && UNLIKELY(t->suits != SUITS_AS_THEY_ARE))
    all = in_order(all, t->suits), mask = in_order(mask, t->suits);
  PACKER(all);
  mask = PACK(mask, all);
  u64 lower = r.value >= need ? (u64)r.value : 0, upper = r.value >= need ? (u64)n : (u64)r.value;
  NAME(add)(c, s, full_key, generation,
            (pattern){(lo & mask) | lower << LOWER_SHIFT | upper << UPPER_SHIFT, (hi & mask) | (u64)COUNT(mask) << SIZE_SHIFT, mask},
            undecided);
  return (result){ranks, r.value};
}

NOINLINE result NAME(lead_unknown_nt)(bsdd_context *c, trick *t, slot *s, u64 full_key, int undecided)
{
  return lead_unknown(c, t, s, full_key, undecided, 0);
}
NOINLINE result NAME(lead_unknown_suit)(bsdd_context *c, trick *t, slot *s, u64 full_key, int undecided)
{
  return lead_unknown(c, t, s, full_key, undecided, 1);
}

/* The start of a trick: mostly the table knows. */
INLINE result lead(bsdd_context *c, u64 all, u64 key, int leader, int n, int need, const int suit_contract)
{
  if (UNLIKELY(++c->leads % CHECK_LEADS == 0)) {
    STOP_IF_TOLD(c);
    c->merge_suits = c->nodes - c->nodes_before > LONG_SEARCH;
  }
  const u64 *hand = c->hand;
  u64 full_key = turned(key, leader), last = hand[(leader + 3) & 3], seen = all;
  u64 lo = hand[(leader + 1) & 3] | last, hi = hand[(leader + 2) & 3] | last;
  u32 suits = SUITS_AS_THEY_ARE;
  if (!suit_contract && UNLIKELY(c->merge_suits)) {
    suits = suit_order(full_key);
    full_key = in_order(full_key, suits);
    lo = in_order(lo, suits), hi = in_order(hi, suits), seen = in_order(all, suits);
  }
  slot *s = find_slot(c, full_key);
  PACKER(seen);
  lo = PACK(lo, seen), hi = PACK(hi, seen);
  int undecided = 0;
  c->lookups++;
  if (s->key == full_key) {
    const pattern *p = look_up(c, s, lo, hi, need, &undecided);
    if (p) {
      c->hits++;
      int lower = lower_of(p->lo), upper = upper_of(p->lo);
      u64 ranks = UNPACK(p->mask, seen);
      if (!suit_contract && UNLIKELY(suits != SUITS_AS_THEY_ARE)) ranks = out_of_order(ranks, suits);
      return (result){ranks, lower >= need ? lower : upper};
    }
  }
  trick t = {all, 0, key, lo, hi, suits, leader, n, need};
  return suit_contract ? NAME(lead_unknown_suit)(c, &t, s, full_key, undecided)
                       : NAME(lead_unknown_nt)(c, &t, s, full_key, undecided);
}

static result NAME(lead_nt)(bsdd_context *c, u64 all, u64 key, int leader, int n, int need)
{
  return lead(c, all, key, leader, n, need, 0);
}
static result NAME(lead_suit)(bsdd_context *c, u64 all, u64 key, int leader, int n, int need)
{
  return lead(c, all, key, leader, n, need, 1);
}

int64_t NAME(search)(bsdd_context *c, const problem *p)
{
  int suit_contract = c->suit_contract;
  u64 key = 0, all = 0, win = 0, played = 0;
  int winner = 0;
  for (int seat = 0; seat < 4; seat++) {
    all |= c->hand[seat];
    for (int lane = 0; lane < 4; lane++)
      key += shape_of(seat, lane) * (u64)COUNT(c->hand[seat] & ((u64)LANE0 << (lane * 16)));
  }
  c->searches++;
  for (int k = 0; k < p->count; k++) {
    played |= p->card[k];
    if (k == 0 || beats(p->card[k], win, lane_of_index(LOW(p->card[0])), suit_contract)) win = p->card[k], winner = k;
  }
  trick t = {all | played, 0, key, 0, 0, SUITS_AS_THEY_ARE, p->leader, p->n, p->need};
  if (p->count) t.lane = lane_of_index(LOW(p->card[0]));
  result r;
  c->mattered = 0;
  if (p->need <= 0) return 0;
  if (p->need > p->n) return p->n;
  if (p->count == 0) {
    if (p->n == 1) r = last_trick(c, p->leader, suit_contract);
    else r = suit_contract ? NAME(lead_suit)(c, all, key, p->leader, p->n, p->need)
                           : NAME(lead_nt)(c, all, key, p->leader, p->n, p->need);
  } else if (p->count == 1)
    r = suit_contract ? NAME(second_suit)(c, &t, played, win, winner, key)
                      : NAME(second_nt)(c, &t, played, win, winner, key);
  else if (p->count == 2)
    r = suit_contract ? NAME(third_suit)(c, &t, played, win, winner, key)
                      : NAME(third_nt)(c, &t, played, win, winner, key);
  else
    r = suit_contract ? NAME(fourth_suit)(c, &t, played, win, winner, key)
                      : NAME(fourth_nt)(c, &t, played, win, winner, key);
  c->mattered = p->count ? down_to(r.win) & t.all : ranks_needed(c->hand, all, r.win);
  return r.value;
}
