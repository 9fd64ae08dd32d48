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
#include "suit.h"

/* ---- memory ---- */

void *suit_take(context *c, size_t words)
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

void *suit_get(const map *m, u64 key) { return m->size ? m->entries[place_of(m, key)].value : NULL; }

int suit_put(context *c, map *m, u64 key, void *value)
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

/* ---- open cards ---- */

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
                 suit_open_tricks(c, after(c, *s, hand, lead, third, second, fourth), west - (wests == NO_CLASS ? 0 : c->stride[wests]));
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

int suit_open_tricks(context *c, state s, int west)
{
  if (!(s.hands[0] | s.hands[1]) || c->failure) return 0;
  s = canonical(c, s), s.goal = 0, s.played = 0;
  u64 key = key_of(&s, (u8)west);
  uintptr_t known = (uintptr_t)suit_get(&c->double_dummy, key);
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
  suit_put(c, &c->double_dummy, key, (void *)(uintptr_t)(most + 1));
  return most;
}

/* ---- results and fronts ---- */

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

/* The results after four cards, for the layouts `among`, added to a list. */
static void fourth_results(context *c, const state *s, const state *next, int won, int west_class, int single, const u64 *among,
                           list *out)
{
  int levels = levels_of(c, s), by = west_class == NO_CLASS ? 0 : c->stride[west_class];
  u64 here[RANKS * WORDS], later[RANKS * WORDS];
  if (single >= 0) {
    int tricks = suit_open_tricks(c, *next, single - by), later_levels = levels_of(c, next);
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
  const front *f = suit_front_of(c, *next);
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
    int tricks = suit_open_tricks(c, *s, layout);
    for (int level = 0; level < levels; level++)
      if (c->expected ? tricks > level : tricks >= s->goal) out[level * c->words + layout / 64] |= (u64)1 << layout % 64;
  }
}

const front *suit_front_of(context *c, state s)
{
  u64 among[WORDS], bound[RANKS * WORDS];
  s = canonical(c, s);
  u64 key = key_of(&s, s.played);
  front *known = suit_get(&c->fronts, key);
  if (known || c->failure) return known;
  int length = levels_of(c, &s) * c->words;
  list out = {0, 0, NULL};
  alive(c, &s, among);
  open_result(c, &s, among, bound);
  if (is_empty(bound, length)) add(c, &out, bound, length);
  else leads(c, &s, among, bound, &out);
  if (!c->failure) known = suit_take(c, (sizeof(front) + (size_t)length * out.count * sizeof(u64) + 7) / 8);
  if (known) {
    known->count = out.count, known->length = (uint32_t)length;
    if (out.count) memcpy(known->results, out.results, (size_t)length * out.count * sizeof(u64));
    suit_put(c, &c->fronts, key, known);
  }
  free(out.results);
  return c->failure ? NULL : known;
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

/* One pass over the game, the weight of its best result in *best; 0 on failure. */
static int search(context *c, uint32_t beam, u64 loss_limit, u64 effort, u64 *best)
{
  c->beam = beam, c->loss_limit = loss_limit, c->effort_limit = c->effort + effort, c->failure = BSDD_OK;
  forget(c);
  const front *f = suit_front_of(c, first_state(c));
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
    int tricks = suit_open_tricks(c, s, layout), levels = c->expected ? tricks : tricks >= game->target;
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
