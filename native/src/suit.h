/* What the parts of the search for suit combinations share: states, cards, sets of layouts, and the context. */
#ifndef BSST_SUIT_H
#define BSST_SUIT_H

#include <stdlib.h>
#include <string.h>

#include "../include/bridgespec_dd.h"
#include "../include/bridgespec_suit.h"

typedef uint64_t u64;
typedef uint16_t u16;
typedef uint8_t u8;

enum { RANKS = 13, CLASSES = 7, WORDS = 3, FREE = 15, NOBODY = 2, BEAM = 16, NO_CLASS = -1, NO_RANK = 99, ASK_EVERY = 1 << 16 };
#define FULL_LOSS UINT64_MAX
#define NO_LIMIT (UINT64_MAX / 2)
/* What is left at the start of a trick: 56 bits as a key. `left` is the layout in which West holds all that is left, `played`
 * the one that West has played. `goal`: tricks still needed, or won so far where their number is expected. */
typedef struct {
  u16 hands[2];
  u8 left, played;
  u8 on_lead, entries[2], goal;
} state;

typedef struct {
  uint32_t count, room;
  u64 *results;
} list;

typedef struct {
  uint32_t count;
  uint32_t length; /* words of a result */
  u64 results[];
} front;

typedef struct {
  u64 key;
  void *value;
} entry;

typedef struct {
  entry *entries;
  size_t used, size;
} map;

typedef struct block {
  struct block *next;
  size_t used, size;
  u64 data[];
} block;

struct bsst_context {
  bsst_game game;
  int classes, layouts, words, expected;
  u16 cards[CLASSES];
  int size[CLASSES], stride[CLASSES], top[CLASSES];
  u64 support[BSST_LAYOUTS][WORDS];     /* by what is left: West's possible holdings */
  u64 at_least_one[CLASSES][WORDS];     /* West holds a card of the class */
  u64 at_most[CLASSES][RANKS][WORDS];   /* West holds at most so many */
  u64 weights[BSST_LAYOUTS];
  u8 open[BSST_LAYOUTS];                /* tricks with open cards; 1 where they reach the target */
  u64 needed[RANKS + 1][WORDS];         /* the layouts that yield more than j tricks with open cards */
  int first_lead, first_third; /* prescribed groups of equal cards, -1 for none */
  u64 loss_limit;
  uint32_t beam;
  map fronts, double_dummy, plans;
  block *arena;
  size_t memory, memory_limit, memory_peak;
  u64 effort, effort_limit, next_ask;
  int32_t (*ask)(void *);
  void *ask_argument;
  int failure; /* BSDD_OK, BSDD_NO_MEMORY (the effort too: both give a bound) or BSDD_CANCELLED */
  int solved;
};

typedef bsst_context context;

/* Words of the arena, all of which goes at once; null where memory runs out, with the context's failure set. */
void *suit_take(context *c, size_t words);
void *suit_get(const map *m, u64 key);
int suit_put(context *c, map *m, u64 key, void *value);

/* Declarer's tricks where West's holding is known: a bound for each layout. */
int suit_open_tricks(context *c, state s, int west);

/* What declarer can win from a state on, while both defenders follow; null on failure. */
const front *suit_front_of(context *c, state s);

/* ---- cards ---- */

static inline int digit(const context *c, int layout, int class) { return layout / c->stride[class] % (c->size[class] + 1); }

static inline int count_bits(unsigned x)
{
  int n = 0;
  for (; x; x &= x - 1) n++;
  return n;
}

static inline int lowest_bit(u64 x)
{
  int n = 0;
  for (; !(x & 0xFF); x >>= 8) n += 8;
  for (; !(x & 1); x >>= 1) n++;
  return n;
}

static inline int bounded(const state *s) { return s->entries[0] != FREE || s->entries[1] != FREE; }

static inline int longer_hand(const state *s)
{
  int north = count_bits(s->hands[0]), south = count_bits(s->hands[1]);
  return north > south ? north : south;
}

/* The ranks of hidden cards that are left, whole classes at a time. */
static inline u16 ranks_left(const context *c, int left)
{
  u16 ranks = 0;
  for (int i = 0; i < c->classes; i++)
    if (digit(c, left, i)) ranks |= c->cards[i];
  return ranks;
}

/* The state that stands for all that differ in no trick: declarer's cards move up between two hidden classes, North's first
 * where the hand that wins a trick does not matter. */
static inline state canonical(const context *c, state s)
{
  u16 hidden = ranks_left(c, s.left), hands[2] = {0, 0};
  int free_entries = !bounded(&s), next = 0, gap[2] = {0, 0};
  for (int rank = 0; rank <= RANKS; rank++) {
    if (rank == RANKS || hidden >> rank & 1) {
      for (int h = 0; h < 2; h++)
        for (; gap[h]; gap[h]--) hands[h] |= (u16)(1 << next++);
      next = rank + 1;
      continue;
    }
    for (int h = 0; h < 2; h++) {
      if (!(s.hands[h] >> rank & 1)) continue;
      if (free_entries) gap[h]++;
      else hands[h] |= (u16)(1 << next++);
    }
  }
  s.hands[0] = hands[0], s.hands[1] = hands[1];
  if (free_entries || (s.on_lead < NOBODY && s.entries[s.on_lead] == FREE)) s.on_lead = NOBODY;
  return s;
}

static inline u64 key_of(const state *s, u8 second)
{
  return 1 | (u64)s->hands[0] << 1 | (u64)s->hands[1] << 14 | (u64)s->left << 27 | (u64)second << 35 | (u64)s->on_lead << 43 |
         (u64)s->entries[0] << 45 | (u64)s->entries[1] << 49 | (u64)s->goal << 53;
}

/* The groups of equal cards of a hand, as the lowest rank of each; one discard where the hand is empty. Returns their number. */
static inline int groups_of(const context *c, const state *s, int hand, int out[RANKS])
{
  u16 own = s->hands[hand], parting = ranks_left(c, s->left);
  int count = 0, going_on = 0;
  if (bounded(s)) parting |= s->hands[!hand];
  for (int rank = 0; rank < RANKS; rank++) {
    if (own >> rank & 1) {
      if (!going_on) count++;
      out[count - 1] = rank, going_on = 1;
    } else if (parting >> rank & 1) going_on = 0;
  }
  if (!count) out[count++] = NO_RANK;
  return count;
}

/* Whether declarer can lead from a hand, and in *s what is left of the entries. */
static inline int enter(state *s, int hand)
{
  if (!s->hands[hand]) return 0;
  if (s->on_lead == hand || s->entries[hand] == FREE) return 1;
  if (!s->entries[hand]) return 0;
  s->entries[hand]--;
  return 1;
}

static inline int won_by_declarer(const context *c, int lead, int third, int second, int fourth)
{
  int best = lead < third ? lead : third;
  return !(second != NO_CLASS && c->top[second] < best) && !(fourth != NO_CLASS && c->top[fourth] < best);
}

/* The state after a trick; `second` and `fourth` are classes, West's the one that plays after South's lead. */
static inline state after(const context *c, state s, int hand, int lead, int third, int second, int fourth)
{
  int west = hand == 1 ? second : fourth;
  s.hands[hand] &= (u16)~(1 << lead);
  if (third != NO_RANK) s.hands[!hand] &= (u16)~(1 << third);
  if (second != NO_CLASS) s.left -= (u8)c->stride[second];
  if (fourth != NO_CLASS) s.left -= (u8)c->stride[fourth];
  if (west != NO_CLASS) s.played += (u8)c->stride[west];
  s.on_lead = NOBODY;
  if (won_by_declarer(c, lead, third, second, fourth)) s.on_lead = (u8)(lead < third ? hand : !hand);
  return s;
}

/* ---- results ---- */

static inline int levels_of(const context *c, const state *s) { return c->expected ? longer_hand(s) : 1; }

static inline int contains(const u64 *big, const u64 *small, int length)
{
  for (int i = 0; i < length; i++)
    if (small[i] & ~big[i]) return 0;
  return 1;
}

static inline int is_empty(const u64 *set, int length)
{
  for (int i = 0; i < length; i++)
    if (set[i]) return 0;
  return 1;
}

/* The layouts in which a defender can play a class (or shows out) in a state. */
static inline void playable(const context *c, const state *s, int is_west, int class, u64 *out)
{
  int only = is_west ? 0 : s->left, left;
  memset(out, 0, (size_t)c->words * sizeof(u64));
  if (class == NO_CLASS) {
    out[only / 64] = (u64)1 << only % 64;
    return;
  }
  left = digit(c, s->left, class);
  if (!left) return;
  for (int w = 0; w < c->words; w++)
    out[w] = c->support[s->left][w] & (is_west ? c->at_least_one[class][w] : c->at_most[class][left - 1][w]);
}

/* A game with a target is won before its last card. */
static inline int reached(const context *c, const state *s) { return !c->expected && s->goal == 0; }

static inline state next_state(const context *c, const state *s, int hand, int lead, int third, int second, int fourth, int *won)
{
  state next = after(c, *s, hand, lead, third, second, fourth);
  *won = won_by_declarer(c, lead, third, second, fourth);
  if (*won) next.goal = (u8)(c->expected ? next.goal + 1 : next.goal - 1);
  return next;
}

/* Only the first trick has all hidden cards before it. */
static inline int is_first(const context *c, const state *s) { return s->left == c->layouts - 1 && c->classes; }

static inline state first_state(const context *c)
{
  const bsst_game *g = &c->game;
  state s = {{g->hands[0], g->hands[1]}, (u8)(c->layouts - 1), 0, g->on_lead, {0, 0}, c->expected ? 0 : g->target};
  for (int h = 0; h < 2; h++) s.entries[h] = g->entries[h] > RANKS ? FREE : g->entries[h];
  return s;
}

static inline u64 weight_of(const context *c, const u64 *result, int length)
{
  u64 weight = 0;
  for (int i = 0; i < length; i++)
    for (u64 left = result[i]; left; left &= left - 1) weight += c->weights[64 * (i % c->words) + lowest_bit(left)];
  return weight;
}

#endif
