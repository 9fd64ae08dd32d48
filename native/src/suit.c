/* The best play of one suit: fronts of what a line wins in all layouts, joined over the defenders' choices.
 *
 * The call path: bsst_solve -> root_front -> front_of -> lead_results -> second_results -> third_results -> join. A *result* is a
 * set of layouts for each level (level j: the layouts that yield more than j tricks; a game with a target has one level). A
 * *front* is the list of the results that no other result contains.
 *
 * A defender's cards follow in any order, so that every state that declarer can see is given by the cards that are left: as long
 * as both defenders follow, each split of the hidden cards that are left is possible, and when one of them shows out, a
 * single one is. Fronts are therefore kept by state. A layout keeps its index while West plays by adding the stride of his card.
 *
 * Two passes: a beam of the few best results of each state gives a line; its loss against open cards is then the most
 * that a better line may lose, and whatever loses more is dropped in a search that drops nothing else.
 */
#include "../include/bridgespec_suit.h"

#include <stdlib.h>
#include <string.h>

#include "../include/bridgespec_dd.h"

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

/* The cheapest tree that wins a result from a state: its cost in cards, and its choices as indexes of groups of equal cards. */
typedef struct plan {
  struct plan *next;
  uint32_t cost;
  u8 hand, lead, third[CLASSES + 1];
  u64 result[];
} plan;

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

/* ---- memory ---- */

static void *take(context *c, size_t words)
{
  if (!c->arena || c->arena->used + words > c->arena->size) {
    size_t size = words > 4096 ? words : 4096;
    size_t bytes = sizeof(block) + size * sizeof(u64);
    block *b = c->memory + bytes > c->memory_limit ? NULL : malloc(bytes);
    if (!b) {
      c->failure = BSDD_NO_MEMORY;
      return NULL;
    }
    b->next = c->arena, b->used = 0, b->size = size;
    c->arena = b, c->memory += bytes;
    if (c->memory > c->memory_peak) c->memory_peak = c->memory;
  }
  void *out = c->arena->data + c->arena->used;
  c->arena->used += words;
  return out;
}

static void forget(context *c)
{
  for (block *b = c->arena, *next; b; b = next) next = b->next, free(b);
  free(c->fronts.entries), free(c->double_dummy.entries), free(c->plans.entries);
  memset(&c->fronts, 0, sizeof c->fronts), memset(&c->double_dummy, 0, sizeof c->double_dummy);
  memset(&c->plans, 0, sizeof c->plans);
  c->arena = NULL, c->memory = 0;
}

static size_t place_of(const map *m, u64 key)
{
  u64 h = key * 0x9E3779B97F4A7C15u;
  h ^= h >> 29, h *= 0xBF58476D1CE4E5B9u, h ^= h >> 32;
  size_t i = (size_t)h & (m->size - 1);
  while (m->entries[i].key && m->entries[i].key != key) i = (i + 1) & (m->size - 1);
  return i;
}

static void *get(const map *m, u64 key) { return m->size ? m->entries[place_of(m, key)].value : NULL; }

static int put(context *c, map *m, u64 key, void *value)
{
  if (2 * m->used >= m->size) {
    map bigger = {NULL, m->used, m->size ? 2 * m->size : 1024};
    size_t bytes = (bigger.size - m->size) * sizeof(entry);
    bigger.entries = c->memory + bytes > c->memory_limit ? NULL : calloc(bigger.size, sizeof(entry));
    if (!bigger.entries) {
      c->failure = BSDD_NO_MEMORY;
      return 0;
    }
    for (size_t i = 0; i < m->size; i++)
      if (m->entries[i].key) bigger.entries[place_of(&bigger, m->entries[i].key)] = m->entries[i];
    free(m->entries);
    *m = bigger, c->memory += bytes;
    if (c->memory > c->memory_peak) c->memory_peak = c->memory;
  }
  entry *e = m->entries + place_of(m, key);
  m->used += !e->key;
  e->key = key, e->value = value;
  return 1;
}

/* ---- cards ---- */

static int digit(const context *c, int layout, int class) { return layout / c->stride[class] % (c->size[class] + 1); }

static int count_bits(unsigned x)
{
  int n = 0;
  for (; x; x &= x - 1) n++;
  return n;
}

static int lowest_bit(u64 x)
{
  int n = 0;
  for (; !(x & 0xFF); x >>= 8) n += 8;
  for (; !(x & 1); x >>= 1) n++;
  return n;
}

static int bounded(const state *s) { return s->entries[0] != FREE || s->entries[1] != FREE; }

static int longer_hand(const state *s)
{
  int north = count_bits(s->hands[0]), south = count_bits(s->hands[1]);
  return north > south ? north : south;
}

/* The ranks of hidden cards that are left, whole classes at a time. */
static u16 ranks_left(const context *c, int left)
{
  u16 ranks = 0;
  for (int i = 0; i < c->classes; i++)
    if (digit(c, left, i)) ranks |= c->cards[i];
  return ranks;
}

/* The state that stands for all that differ in no trick: declarer's cards move up between two hidden classes, North's first
 * where the hand that wins a trick does not matter. */
static state canonical(const context *c, state s)
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

static u64 key_of(const state *s, u8 second)
{
  return 1 | (u64)s->hands[0] << 1 | (u64)s->hands[1] << 14 | (u64)s->left << 27 | (u64)second << 35 | (u64)s->on_lead << 43 |
         (u64)s->entries[0] << 45 | (u64)s->entries[1] << 49 | (u64)s->goal << 53;
}

/* The groups of equal cards of a hand, as the lowest rank of each; one discard where the hand is empty. Returns their number. */
static int groups_of(const context *c, const state *s, int hand, int out[RANKS])
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
static int enter(state *s, int hand)
{
  if (!s->hands[hand]) return 0;
  if (s->on_lead == hand || s->entries[hand] == FREE) return 1;
  if (!s->entries[hand]) return 0;
  s->entries[hand]--;
  return 1;
}

static int won_by_declarer(const context *c, int lead, int third, int second, int fourth)
{
  int best = lead < third ? lead : third;
  return !(second != NO_CLASS && c->top[second] < best) && !(fourth != NO_CLASS && c->top[fourth] < best);
}

/* The state after a trick; `second` and `fourth` are classes, West's the one that plays after South's lead. */
static state after(const context *c, state s, int hand, int lead, int third, int second, int fourth)
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

/* ---- open cards ---- */

static int open_tricks(context *c, state s, int west);

static int holds(const context *c, int layout, int class)
{
  return class == NO_CLASS ? layout == 0 : digit(c, layout, class) > 0;
}

/* The tricks from a lead on, where second hand has played; the least over fourth hand's cards. */
static int open_fourth(context *c, const state *s, int hand, int lead, int third, int second, int west)
{
  int fourth_holding = hand == 1 ? s->left - west : west, least = NO_RANK;
  for (int fourth = NO_CLASS; fourth < c->classes; fourth++) {
    if (!holds(c, fourth_holding, fourth)) continue;
    int wests = hand == 1 ? second : fourth;
    int tricks = won_by_declarer(c, lead, third, second, fourth) +
                 open_tricks(c, after(c, *s, hand, lead, third, second, fourth), west - (wests == NO_CLASS ? 0 : c->stride[wests]));
    if (tricks < least) least = tricks;
  }
  return least;
}

static int open_lead(context *c, const state *s, int hand, int lead, int west)
{
  int second_holding = hand == 1 ? west : s->left - west, least = NO_RANK;
  int thirds[RANKS], count = groups_of(c, s, !hand, thirds);
  for (int second = NO_CLASS; second < c->classes; second++) {
    if (!holds(c, second_holding, second)) continue;
    int most = -1;
    for (int i = 0; i < count; i++) {
      int tricks = open_fourth(c, s, hand, lead, thirds[i], second, west);
      if (tricks > most) most = tricks;
    }
    if (most < least) least = most;
  }
  return least;
}

/* The tricks of declarer's where West's holding is known: a bound for each layout. */
static int open_tricks(context *c, state s, int west)
{
  if (!(s.hands[0] | s.hands[1]) || c->failure) return 0;
  s = canonical(c, s), s.goal = 0, s.played = 0;
  u64 key = key_of(&s, (u8)west);
  uintptr_t known = (uintptr_t)get(&c->double_dummy, key);
  if (known) return (int)known - 1;
  int most = 0;
  for (int hand = 0; hand < 2; hand++) {
    state in = s;
    if (!enter(&in, hand)) continue;
    int leads[RANKS], count = groups_of(c, &in, hand, leads);
    for (int i = 0; i < count; i++) {
      int tricks = open_lead(c, &in, hand, leads[i], west);
      if (tricks > most) most = tricks;
    }
  }
  put(c, &c->double_dummy, key, (void *)(uintptr_t)(most + 1));
  return most;
}

/* ---- results and fronts ---- */

static int levels_of(const context *c, const state *s) { return c->expected ? longer_hand(s) : 1; }

static int contains(const u64 *big, const u64 *small, int length)
{
  for (int i = 0; i < length; i++)
    if (small[i] & ~big[i]) return 0;
  return 1;
}

static int is_empty(const u64 *set, int length)
{
  for (int i = 0; i < length; i++)
    if (set[i]) return 0;
  return 1;
}

static int tired(context *c)
{
  if (++c->effort > c->effort_limit) c->failure = BSDD_NO_MEMORY;
  if (c->effort >= c->next_ask && c->ask) {
    c->next_ask = c->effort + ASK_EVERY;
    if (c->ask(c->ask_argument)) c->failure = BSDD_CANCELLED;
  }
  return c->failure != BSDD_OK;
}

/* Adds a result to a list unless one contains it, and takes out those that it contains. */
static void add(context *c, list *l, const u64 *result, int length)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < l->count; i++)
    if (contains(l->results + i * (size_t)length, result, length)) return;
  for (uint32_t i = 0; i < l->count; i++) {
    u64 *one = l->results + i * (size_t)length;
    if (contains(result, one, length)) continue;
    if (kept != i) memcpy(l->results + kept * (size_t)length, one, (size_t)length * sizeof(u64));
    kept++;
  }
  l->count = kept;
  if (l->count == l->room) {
    uint32_t room = l->room ? 2 * l->room : 8;
    size_t bytes = (size_t)room * (size_t)length * sizeof(u64);
    u64 *results = c->memory + bytes > c->memory_limit ? NULL : realloc(l->results, bytes);
    if (!results) {
      c->failure = BSDD_NO_MEMORY;
      return;
    }
    l->results = results, l->room = room;
  }
  memcpy(l->results + l->count++ * (size_t)length, result, (size_t)length * sizeof(u64));
}

/* The weight that a result loses for good: layouts of `among` that open cards would win at its levels. */
static u64 loss_of(const context *c, const state *s, const u64 *result, const u64 *among, int levels)
{
  u64 loss = 0;
  int first = c->expected ? s->goal : 0, words = c->words;
  for (int level = 0; level < levels && first + level <= RANKS; level++)
    for (int w = 0; w < words; w++)
      for (u64 missing = among[w] & ~result[level * words + w]; missing; missing &= missing - 1) {
        int layout = 64 * w + lowest_bit(missing) + s->played;
        if (c->needed[first + level][layout / 64] >> layout % 64 & 1) loss += c->weights[layout];
      }
  return loss;
}

/* Keeps the beam's number of results, those of the least loss. */
static void trim(context *c, const state *s, list *l, const u64 *among, int levels)
{
  size_t length = (size_t)(levels * c->words);
  if (!c->beam || l->count <= c->beam) return;
  u64 *losses = malloc(l->count * sizeof(u64));
  if (!losses) {
    c->failure = BSDD_NO_MEMORY;
    return;
  }
  for (uint32_t i = 0; i < l->count; i++) losses[i] = loss_of(c, s, l->results + i * length, among, levels);
  for (uint32_t i = 0; i < c->beam; i++) {
    uint32_t best = i;
    for (uint32_t j = i + 1; j < l->count; j++)
      if (losses[j] < losses[best]) best = j;
    u64 loss = losses[i];
    losses[i] = losses[best], losses[best] = loss;
    for (size_t w = 0; w < length && best != i; w++) {
      u64 word = l->results[i * length + w];
      l->results[i * length + w] = l->results[best * length + w], l->results[best * length + w] = word;
    }
  }
  l->count = c->beam;
  free(losses);
}

/* What holds in both of two lists, for each pair of results; `among` are the layouts that either speaks of. */
static void join(context *c, const state *s, list *into, const list *with, const u64 *among, int levels)
{
  list out = {0, 0, NULL};
  int length = levels * c->words;
  u64 both[RANKS * WORDS];
  for (uint32_t i = 0; i < into->count && !c->failure; i++)
    for (uint32_t j = 0; j < with->count && !tired(c); j++) {
      for (int w = 0; w < length; w++)
        both[w] = into->results[i * (size_t)length + (size_t)w] & with->results[j * (size_t)length + (size_t)w];
      if (c->loss_limit != FULL_LOSS && loss_of(c, s, both, among, levels) > c->loss_limit) continue;
      add(c, &out, both, length);
    }
  free(into->results);
  *into = out;
  trim(c, s, into, among, levels);
}

/* A set of West's holdings after the trick, as holdings before it. */
static void shifted(const context *c, const u64 *set, int by, u64 *out)
{
  int skip = by / 64, bits = by % 64;
  for (int w = c->words - 1; w >= 0; w--) {
    u64 word = 0;
    if (w >= skip) word = set[w - skip] << bits;
    if (bits && w > skip) word |= set[w - skip - 1] >> (64 - bits);
    out[w] = word;
  }
}

/* A later result as one of this trick's: a level up where the trick is won, all layouts that it does not speak of won. */
static void lifted(const context *c, const u64 *later, int later_levels, int levels, int won, int by, const u64 *among, u64 *out)
{
  for (int level = 0; level < levels; level++) {
    u64 *set = out + level * c->words;
    int from = c->expected ? level - won : level;
    if (from < 0) memset(set, 0xFF, (size_t)c->words * sizeof(u64));
    else if (from >= later_levels) memset(set, 0, (size_t)c->words * sizeof(u64));
    else shifted(c, later + from * c->words, by, set);
    for (int w = 0; w < c->words; w++) set[w] |= ~among[w];
  }
}

/* The layouts in which a defender can play a class (or shows out) in a state. */
static void playable(const context *c, const state *s, int is_west, int class, u64 *out)
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

static const front *front_of(context *c, state s);

/* A game with a target is won before its last card. */
static int reached(const context *c, const state *s) { return !c->expected && s->goal == 0; }

static state next_state(const context *c, const state *s, int hand, int lead, int third, int second, int fourth, int *won)
{
  state next = after(c, *s, hand, lead, third, second, fourth);
  *won = won_by_declarer(c, lead, third, second, fourth);
  if (*won) next.goal = (u8)(c->expected ? next.goal + 1 : next.goal - 1);
  return next;
}

/* The results after four cards, for the layouts `among`, added to a list. */
static void fourth_results(context *c, const state *s, const state *next, int won, int west_class, int single, const u64 *among,
                           list *out)
{
  int levels = levels_of(c, s), by = west_class == NO_CLASS ? 0 : c->stride[west_class];
  u64 here[RANKS * WORDS], later[RANKS * WORDS];
  if (single >= 0) {
    int tricks = open_tricks(c, *next, single - by), later_levels = levels_of(c, next);
    memset(later, 0, sizeof later);
    for (int level = 0; level < later_levels; level++)
      if (c->expected ? tricks > level : tricks >= next->goal) later[level * c->words + (single - by) / 64] |= (u64)1 << (single - by) % 64;
    lifted(c, later, later_levels, levels, won, by, among, here);
    add(c, out, here, levels * c->words);
    return;
  }
  if (!longer_hand(next)) {
    lifted(c, later, 0, levels, c->expected && won, by, among, here);
    add(c, out, here, levels * c->words);
    return;
  }
  const front *f = front_of(c, *next);
  for (uint32_t i = 0; f && i < f->count; i++) {
    lifted(c, f->results + i * (size_t)f->length, levels_of(c, next), levels, won, by, among, here);
    add(c, out, here, levels * c->words);
  }
}

/* The results of one card of third hand's, for the layouts `among` in which second hand can have played as he did. */
static void third_results(context *c, const state *s, int hand, int lead, int second, int third, const u64 *among, list *out)
{
  int levels = levels_of(c, s), length = levels * c->words;
  u64 ones[RANKS * WORDS], these[WORDS];
  memset(ones, 0xFF, sizeof ones);
  add(c, out, ones, length);
  for (int fourth = NO_CLASS; fourth < c->classes && !c->failure && out->count; fourth++) {
    int left = s->left - (second == NO_CLASS ? 0 : c->stride[second]), won;
    if (fourth != NO_CLASS && !digit(c, left, fourth)) continue;
    playable(c, s, hand == 0, fourth, these);
    for (int w = 0; w < c->words; w++) these[w] &= among[w];
    if (is_empty(these, c->words)) continue;
    state next = next_state(c, s, hand, lead, third, second, fourth, &won);
    if (reached(c, &next)) continue;
    list later = {0, 0, NULL};
    int single = -1;
    for (int w = 0; w < c->words; w++)
      if ((second == NO_CLASS || fourth == NO_CLASS) && these[w]) single = 64 * w + lowest_bit(these[w]);
    fourth_results(c, s, &next, won, hand == 1 ? second : fourth, single, these, &later);
    join(c, s, out, &later, among, levels);
    free(later.results);
  }
}

/* The index of the group of equal cards with a rank; -1 where there is none. */
static int group_with(const context *c, const state *s, int hand, int rank)
{
  int ranks[RANKS], count = groups_of(c, s, hand, ranks);
  for (int i = 0; i < count; i++)
    if (ranks[i] == NO_RANK ? rank == BSST_NO_CARD : ranks[i] >= rank) return i;
  return -1;
}

/* Only the first trick has all hidden cards before it. */
static int is_first(const context *c, const state *s) { return s->left == c->layouts - 1 && c->classes; }

/* The results of a lead: joined over second hand's cards. */
static void lead_results(context *c, const state *s, int hand, int lead, list *out)
{
  int levels = levels_of(c, s), length = levels * c->words;
  int thirds[RANKS], count = groups_of(c, s, !hand, thirds);
  u64 ones[RANKS * WORDS], these[WORDS];
  memset(ones, 0xFF, sizeof ones);
  add(c, out, ones, length);
  for (int second = NO_CLASS; second < c->classes && !c->failure && out->count; second++) {
    playable(c, s, hand == 1, second, these);
    if (is_empty(these, c->words)) continue;
    list choices = {0, 0, NULL};
    int only = is_first(c, s) && second == c->classes - 1 ? c->first_third : -1;
    for (int i = 0; i < count && !c->failure; i++) {
      if (only >= 0 && only != i) continue;
      list one = {0, 0, NULL};
      third_results(c, s, hand, lead, second, thirds[i], these, &one);
      for (uint32_t j = 0; j < one.count; j++) add(c, &choices, one.results + j * (size_t)length, length);
      free(one.results);
    }
    trim(c, s, &choices, these, levels);
    join(c, s, out, &choices, c->support[s->left], levels);
    free(choices.results);
  }
}

/* West's holdings that can be: the others weigh nothing. */
static void alive(const context *c, const state *s, u64 *out)
{
  memset(out, 0, (size_t)c->words * sizeof(u64));
  for (int layout = 0; layout < c->layouts; layout++)
    if (c->support[s->left][layout / 64] >> layout % 64 & 1 && c->weights[layout + s->played])
      out[layout / 64] |= (u64)1 << layout % 64;
}

static void leads(context *c, const state *s, const u64 *among, const u64 *bound, list *out)
{
  int length = levels_of(c, s) * c->words;
  for (int hand = 0; hand < 2; hand++) {
    state in = *s;
    if (!enter(&in, hand)) continue;
    int ranks[RANKS], count = groups_of(c, &in, hand, ranks);
    for (int i = 0; i < count && !c->failure; i++) {
      if (is_first(c, s) && c->first_lead >= 0 && (hand != c->game.first_hand || i != c->first_lead)) continue;
      list results = {0, 0, NULL};
      lead_results(c, &in, hand, ranks[i], &results);
      int best = 0;
      for (uint32_t j = 0; j < results.count; j++) {
        u64 *one = results.results + j * (size_t)length;
        for (int w = 0; w < length; w++) one[w] &= among[w % c->words];
        add(c, out, one, length);
        best |= contains(one, bound, length);
      }
      free(results.results);
      if (best) return; /* nothing is better than open cards */
    }
  }
  trim(c, s, out, among, levels_of(c, s));
}

/* The best that open cards allow in a state, as a result. */
static void open_result(context *c, const state *s, const u64 *among, u64 *out)
{
  int levels = levels_of(c, s);
  memset(out, 0, (size_t)(levels * c->words) * sizeof(u64));
  for (int layout = 0; layout < c->layouts; layout++) {
    if (!(among[layout / 64] >> layout % 64 & 1)) continue;
    int tricks = open_tricks(c, *s, layout);
    for (int level = 0; level < levels; level++)
      if (c->expected ? tricks > level : tricks >= s->goal) out[level * c->words + layout / 64] |= (u64)1 << layout % 64;
  }
}

/* What declarer can win from a state on, while both defenders follow; null on failure. */
static const front *front_of(context *c, state s)
{
  u64 among[WORDS], bound[RANKS * WORDS];
  s = canonical(c, s);
  u64 key = key_of(&s, s.played);
  front *known = get(&c->fronts, key);
  if (known || c->failure) return known;
  int length = levels_of(c, &s) * c->words;
  list out = {0, 0, NULL};
  alive(c, &s, among);
  open_result(c, &s, among, bound);
  if (is_empty(bound, length)) add(c, &out, bound, length);
  else leads(c, &s, among, bound, &out);
  if (!c->failure) known = take(c, (sizeof(front) + (size_t)length * out.count * sizeof(u64) + 7) / 8);
  if (known) {
    known->count = out.count, known->length = (uint32_t)length;
    if (out.count) memcpy(known->results, out.results, (size_t)length * out.count * sizeof(u64));
    put(c, &c->fronts, key, known);
  }
  free(out.results);
  return c->failure ? NULL : known;
}

/* ---- the line ---- */

enum { DEAR = 1 << 28 }; /* more cards than any tree has */

/* The most tricks that a result asks for in some layout. */
static int demand(const context *c, const state *s, const u64 *result)
{
  int levels = levels_of(c, s);
  if (!c->expected) return is_empty(result, c->words) ? 0 : s->goal;
  while (levels && is_empty(result + (levels - 1) * c->words, c->words)) levels--;
  return levels;
}

/* Tricks that top cards win whatever happens; entries aside, each of them separately while a hand has cards. */
static int top_tricks(const context *c, const state *s)
{
  u16 hidden = ranks_left(c, s->left), above = hidden ? (u16)((hidden & -hidden) - 1) : (u16)0x1FFF;
  int tops = count_bits((s->hands[0] | s->hands[1]) & above), most = longer_hand(s);
  if (bounded(s)) return 0;
  return tops < most ? tops : most;
}

/* The only layout of a result, -1 where there are more. */
static int only_layout(const context *c, const u64 *result)
{
  int found = -1;
  for (int w = 0; w < c->words; w++) { /* the first level contains the others */
    if (!result[w]) continue;
    if (found >= 0 || result[w] & (result[w] - 1)) return -1;
    found = 64 * w + lowest_bit(result[w]);
  }
  return found;
}

static int feasible(context *c, const state *s, const u64 *result)
{
  int most = demand(c, s, result), layout = only_layout(c, result);
  if (!most) return 1;
  if (most > longer_hand(s)) return 0;
  if (layout >= 0) return open_tricks(c, *s, layout) >= most;
  const front *f = front_of(c, *s);
  for (uint32_t i = 0; f && i < f->count; i++)
    if (contains(f->results + i * (size_t)f->length, result, (int)f->length)) return 1;
  return 0;
}

/* What a result demands after a trick; 0 where it demands what the trick has lost. */
static int demanded(const context *c, const state *s, const state *next, const u64 *result, const u64 *these, int by, int won,
                    u64 *out)
{
  int levels = levels_of(c, s), later = levels_of(c, next), skip = by / 64, bits = by % 64;
  memset(out, 0, (size_t)((later > 1 ? later : 1) * c->words) * sizeof(u64));
  if (reached(c, next)) return 1;
  for (int level = c->expected ? won : 0; level < levels; level++) {
    int to = c->expected ? level - won : level;
    u64 kept[WORDS];
    for (int w = 0; w < c->words; w++) kept[w] = result[level * c->words + w] & these[w];
    if (is_empty(kept, c->words)) continue;
    if (to >= later) return 0;
    for (int w = 0; w + skip < c->words; w++) {
      u64 word = kept[w + skip] >> bits;
      if (bits && w + skip + 1 < c->words) word |= kept[w + skip + 1] << (64 - bits);
      out[to * c->words + w] = word;
    }
  }
  return 1;
}

static const plan *plan_for(context *c, state s, const u64 *result);

static int settled(const context *c, const state *s, const u64 *result) { return demand(c, s, result) <= top_tricks(c, s); }

/* The cards of declarer's that follow third hand's card, DEAR where the result cannot be kept. */
static uint32_t third_cost(context *c, const state *s, int hand, int lead, int second, int third, const u64 *result, const u64 *among)
{
  u64 these[WORDS], later[RANKS * WORDS];
  uint32_t cost = 0;
  for (int pass = 0; pass < 2; pass++) /* whether each card can be answered is seen at less cost than how */
    for (int fourth = NO_CLASS; fourth < c->classes && !c->failure; fourth++) {
      int won, left = s->left - (second == NO_CLASS ? 0 : c->stride[second]);
      if (fourth != NO_CLASS && !digit(c, left, fourth)) continue;
      playable(c, s, hand == 0, fourth, these);
      for (int w = 0; w < c->words; w++) these[w] &= among[w];
      if (is_empty(these, c->words)) continue;
      state next = next_state(c, s, hand, lead, third, second, fourth, &won);
      int west = hand == 1 ? second : fourth;
      if (!demanded(c, s, &next, result, these, west == NO_CLASS ? 0 : c->stride[west], won, later)) return DEAR;
      if (reached(c, &next) || !demand(c, &next, later)) continue;
      next = canonical(c, next);
      if (!pass && !feasible(c, &next, later)) return DEAR;
      if (!pass || settled(c, &next, later)) continue;
      const plan *p = plan_for(c, next, later);
      cost += p ? p->cost : DEAR;
      if (cost >= DEAR) return DEAR;
    }
  return cost;
}

/* The layouts of a result in which second hand can play a class; 0 where there are none. */
static int answered(const context *c, const state *s, int hand, int second, const u64 *result, u64 *these)
{
  playable(c, s, hand == 1, second, these);
  for (int w = 0; w < c->words; w++) these[w] &= result[w];
  return !is_empty(these, c->words);
}

/* The cheapest plan after one lead, in *p; its cost is DEAR where the lead cannot keep the result. */
static void plan_lead(context *c, const state *s, int hand, int lead, const u64 *result, uint32_t cheapest, plan *p)
{
  int thirds[RANKS], count = groups_of(c, s, !hand, thirds);
  u64 these[WORDS];
  p->cost = 1;
  for (int second = NO_CLASS; second < c->classes && p->cost < cheapest; second++) {
    if (!answered(c, s, hand, second, result, these)) continue;
    uint32_t least = DEAR;
    int only = is_first(c, s) && second == c->classes - 1 ? c->first_third : -1;
    for (int i = count - 1; i >= 0 && !c->failure; i--) {
      if (only >= 0 && only != i) continue;
      uint32_t cost = (count > 1) + third_cost(c, s, hand, lead, second, thirds[i], result, these);
      if (cost < least) least = cost, p->third[second + 1] = (u8)i;
    }
    p->cost += least;
  }
}

/* The cheapest plan that wins a result (which is demanded and not settled) from a canonical state; null where there is none. */
static const plan *plan_for(context *c, state s, const u64 *result)
{
  size_t length = (size_t)(levels_of(c, &s) * c->words);
  u64 key = key_of(&s, s.played);
  plan *first = get(&c->plans, key), best = {first, DEAR, 0, 0, {0}}, one;
  for (plan *p = first; p; p = p->next)
    if (!memcmp(p->result, result, length * sizeof(u64))) return p;
  for (int hand = 0; hand < 2; hand++) {
    state in = s;
    if (!enter(&in, hand)) continue;
    int ranks[RANKS], count = groups_of(c, &in, hand, ranks);
    for (int i = count - 1; i >= 0 && !c->failure; i--) {
      if (is_first(c, &s) && c->first_lead >= 0 && (hand != c->game.first_hand || i != c->first_lead)) continue;
      memset(&one, 0, sizeof one);
      plan_lead(c, &in, hand, ranks[i], result, best.cost, &one);
      if (one.cost >= best.cost) continue;
      best = one, best.next = first, best.hand = (u8)hand, best.lead = (u8)i;
    }
  }
  plan *kept = c->failure || best.cost >= DEAR ? NULL : take(c, (sizeof(plan) + 7) / 8 + length);
  if (!kept) return NULL;
  memcpy(kept, &best, sizeof best);
  memcpy(kept->result, result, length * sizeof(u64));
  return put(c, &c->plans, key, kept) ? kept : NULL;
}

typedef struct {
  bsst_step *steps;
  int32_t room, count;
} tree;

static int32_t emit(tree *t, int32_t parent, int kind, int seat, int card)
{
  if (t->count < t->room) t->steps[t->count] = (bsst_step){parent, (u8)kind, (u8)seat, (u8)card};
  return t->count++;
}

static void emit_plan(context *c, tree *t, state original, const u64 *result, int32_t parent);

static void emit_fourth(context *c, tree *t, const state *s, int hand, int lead, int second, int third, const u64 *result,
                        const u64 *among, int32_t parent)
{
  u64 these[WORDS], later[RANKS * WORDS];
  for (int fourth = NO_CLASS; fourth < c->classes; fourth++) {
    int won, left = s->left - (second == NO_CLASS ? 0 : c->stride[second]), west = hand == 1 ? second : fourth;
    if (fourth != NO_CLASS && !digit(c, left, fourth)) continue;
    playable(c, s, hand == 0, fourth, these);
    for (int w = 0; w < c->words; w++) these[w] &= among[w];
    if (is_empty(these, c->words)) continue;
    state next = next_state(c, s, hand, lead, third, second, fourth, &won);
    demanded(c, s, &next, result, these, west == NO_CLASS ? 0 : c->stride[west], won, later);
    int32_t here = emit(t, parent, BSST_FOURTH, hand == 1 ? 2 : 0, fourth == NO_CLASS ? BSST_NO_CARD : c->top[fourth]);
    if (reached(c, &next) || !demand(c, &next, later)) continue;
    emit_plan(c, t, next, later, here);
  }
}

static void emit_plan(context *c, tree *t, state original, const u64 *result, int32_t parent)
{
  state s = canonical(c, original), in = original;
  u64 these[WORDS];
  if (settled(c, &s, result)) {
    emit(t, parent, BSST_CASH, 0, BSST_NO_CARD);
    return;
  }
  const plan *p = plan_for(c, s, result);
  if (!p) return;
  int hand = p->hand, leads_[RANKS], thirds[RANKS];
  enter(&in, hand);
  groups_of(c, &in, hand, leads_), groups_of(c, &in, !hand, thirds);
  int lead = leads_[p->lead];
  int32_t led = emit(t, parent, BSST_LEAD, hand ? 3 : 1, lead);
  for (int second = NO_CLASS; second < c->classes; second++) {
    if (!answered(c, &in, hand, second, result, these)) continue;
    int third = thirds[p->third[second + 1]];
    int32_t at = emit(t, led, BSST_SECOND, hand ? 0 : 2, second == NO_CLASS ? BSST_NO_CARD : c->top[second]);
    at = emit(t, at, BSST_THIRD, hand ? 1 : 3, third == NO_RANK ? BSST_NO_CARD : third);
    emit_fourth(c, t, &in, hand, lead, second, third, result, these, at);
  }
}

/* ---- the interface ---- */


/* The classes of equal hidden cards; 0 for a game that is none. */
static int classify(const bsst_game *g, context *c)
{
  int open = 0;
  if ((g->hands[0] & g->hands[1]) || ((g->hands[0] | g->hands[1]) & g->hidden)) return 0;
  if ((g->hands[0] | g->hands[1] | g->hidden) >> RANKS) return 0;
  c->classes = 0, c->layouts = 1;
  for (int rank = 0; rank < RANKS; rank++) {
    if ((g->hands[0] | g->hands[1]) >> rank & 1) open = 0;
    if (!(g->hidden >> rank & 1)) continue;
    if (!open) {
      c->top[c->classes] = rank, c->size[c->classes] = 0, c->cards[c->classes] = 0;
      c->classes++, open = 1;
    }
    c->size[c->classes - 1]++, c->cards[c->classes - 1] |= (u16)(1 << rank);
  }
  for (int i = 0; i < c->classes; i++) c->stride[i] = c->layouts, c->layouts *= c->size[i] + 1;
  c->words = (c->layouts + 63) / 64;
  return 1;
}

static void mark(u64 *set, int layout) { set[layout / 64] |= (u64)1 << layout % 64; }

static void prepare(context *c)
{
  memset(c->support, 0, sizeof c->support), memset(c->at_least_one, 0, sizeof c->at_least_one);
  memset(c->at_most, 0, sizeof c->at_most);
  for (int layout = 0; layout < c->layouts; layout++) {
    for (int left = 0; left < c->layouts; left++) {
      int possible = 1;
      for (int i = 0; i < c->classes; i++) possible &= digit(c, layout, i) <= digit(c, left, i);
      if (possible) mark(c->support[left], layout);
    }
    for (int i = 0; i < c->classes; i++) {
      if (digit(c, layout, i)) mark(c->at_least_one[i], layout);
      for (int most = digit(c, layout, i); most < RANKS; most++) mark(c->at_most[i][most], layout);
    }
  }
}

static state first_state(const context *c)
{
  const bsst_game *g = &c->game;
  state s = {{g->hands[0], g->hands[1]}, (u8)(c->layouts - 1), 0, g->on_lead, {0, 0}, c->expected ? 0 : g->target};
  for (int h = 0; h < 2; h++) s.entries[h] = g->entries[h] > RANKS ? FREE : g->entries[h];
  return s;
}

static u64 weight_of(const context *c, const u64 *result, int length)
{
  u64 weight = 0;
  for (int i = 0; i < length; i++)
    for (u64 left = result[i]; left; left &= left - 1) weight += c->weights[64 * (i % c->words) + lowest_bit(left)];
  return weight;
}

/* One pass over the game, the weight of its best result in *best; 0 on failure. */
static int search(context *c, uint32_t beam, u64 loss_limit, u64 effort, u64 *best)
{
  c->beam = beam, c->loss_limit = loss_limit, c->effort_limit = c->effort + effort, c->failure = BSDD_OK;
  forget(c);
  const front *f = front_of(c, first_state(c));
  *best = 0;
  for (uint32_t i = 0; f && i < f->count; i++) {
    u64 weight = weight_of(c, f->results + i * (size_t)f->length, (int)f->length);
    if (weight > *best) *best = weight;
  }
  return f != NULL;
}

/* A good line, or one that follows the best result of each state alone, which is always soon found; 0 on failure. */
static int any_line(context *c, u64 effort, u64 *best)
{
  return search(c, BEAM, FULL_LOSS, effort, best) || (c->failure != BSDD_CANCELLED && search(c, 1, FULL_LOSS, NO_LIMIT, best));
}

int32_t bsst_layouts(const bsst_game *game)
{
  context c;
  return game && classify(game, &c) ? c.layouts : 0;
}

int32_t bsst_create(size_t memory_bytes, bsst_context **out)
{
  if (!out) return BSDD_BAD_ARGUMENT;
  *out = calloc(1, sizeof(context));
  if (!*out) return BSDD_NO_MEMORY;
  (*out)->memory_limit = memory_bytes ? memory_bytes : (size_t)512 << 20;
  return BSDD_OK;
}

void bsst_destroy(bsst_context *context)
{
  if (context) forget(context);
  free(context);
}

void bsst_set_interrupt(bsst_context *context, int32_t (*ask)(void *argument), void *argument)
{
  context->ask = ask, context->ask_argument = argument;
}

static int acceptable(const bsst_game *g)
{
  if (g->on_lead > NOBODY || g->target > RANKS || !(g->hands[0] | g->hands[1])) return 0;
  for (int h = 0; h < 2; h++)
    if (g->entries[h] > RANKS && g->entries[h] != BSST_ANY) return 0;
  if (g->first_lead == BSST_ANY) return g->first_third == BSST_ANY;
  if (g->first_hand > 1 || g->first_lead >= RANKS || !(g->hands[g->first_hand] >> g->first_lead & 1)) return 0;
  if (g->first_third == BSST_NO_CARD) return !g->hands[!g->first_hand];
  return g->first_third == BSST_ANY || (g->first_third < RANKS && g->hands[!g->first_hand] >> g->first_third & 1);
}

int32_t bsst_solve(bsst_context *context, const bsst_game *game, const uint64_t *weights, uint64_t effort, bsst_value *out)
{
  if (!context || !game || !weights || !out || !acceptable(game) || !classify(game, context)) return BSDD_BAD_ARGUMENT;
  struct bsst_context *c = context;
  c->game = *game, c->expected = game->target == 0, c->solved = 0, c->effort = 0, c->memory_peak = 0, c->failure = BSDD_OK;
  c->next_ask = ASK_EVERY;
  if (!effort) effort = 100000000;
  memcpy(c->weights, weights, (size_t)c->layouts * sizeof(u64));
  prepare(c);
  forget(c);
  state s = first_state(c);
  c->first_lead = game->first_lead == BSST_ANY ? -1 : group_with(c, &s, game->first_hand, game->first_lead);
  c->first_third = game->first_third == BSST_ANY ? -1 : group_with(c, &s, !game->first_hand, game->first_third);
  u64 upper = 0, lower = 0, better = 0;
  memset(c->needed, 0, sizeof c->needed);
  for (int layout = 0; layout < c->layouts; layout++) {
    int tricks = open_tricks(c, s, layout), levels = c->expected ? tricks : tricks >= game->target;
    for (int level = 0; level < levels; level++) mark(c->needed[level], layout);
    upper += (u64)levels * c->weights[layout];
  }
  if (c->failure) return c->failure;
  int found = any_line(c, effort, &lower);
  if (found && search(c, 0, upper - lower, effort, &better)) lower = upper = better;
  else if (found && c->failure != BSDD_CANCELLED) found = any_line(c, effort, &lower);
  if (c->failure == BSDD_CANCELLED) return BSDD_CANCELLED;
  c->solved = found;
  *out = (bsst_value){lower, upper, c->effort, c->memory_peak};
  return BSDD_OK;
}

int32_t bsst_line(bsst_context *context, bsst_step *steps, int32_t room, int32_t *count, uint8_t won[162])
{
  if (!context || !context->solved || !count || !won || room < 0 || (room && !steps)) return BSDD_BAD_ARGUMENT;
  struct bsst_context *c = context;
  state s = first_state(c), first = canonical(c, s);
  const front *f = front_of(c, s);
  const u64 *best = NULL;
  u64 most = 0;
  uint32_t cheapest = DEAR;
  c->effort_limit = NO_LIMIT;
  for (uint32_t i = 0; f && i < f->count; i++) {
    const u64 *one = f->results + i * (size_t)f->length;
    u64 weight = weight_of(c, one, (int)f->length);
    const plan *p = weight < most || settled(c, &first, one) ? NULL : plan_for(c, first, one);
    uint32_t cost = p ? p->cost : 0;
    if (weight < most || (weight == most && best && cost >= cheapest)) continue;
    best = one, most = weight, cheapest = cost;
  }
  if (c->failure || !best) return c->failure ? c->failure : BSDD_BAD_ARGUMENT;
  memset(won, 0, BSST_LAYOUTS);
  for (int level = 0; level < levels_of(c, &first); level++)
    for (int layout = 0; layout < c->layouts; layout++) won[layout] += best[level * c->words + layout / 64] >> layout % 64 & 1;
  tree t = {steps, room, 0};
  if (demand(c, &first, best)) emit_plan(c, &t, s, best, -1);
  *count = t.count;
  return c->failure;
}
