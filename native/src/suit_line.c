/* The line of a suit combination: of all lines that win a result, one with the fewest cards of declarer's, as a tree.
 *
 * The call path: bsst_line -> plan_for -> plan_lead -> third_cost -> plan_for; then emit_plan writes the tree. What a line wins is
 * known from the fronts, so that a plan only asks which cards keep it. */
#include "suit.h"

/* The cheapest tree that wins a result from a state: its cost in cards, and its choices as indexes of groups of equal cards. */
typedef struct plan {
  struct plan *next;
  uint32_t cost;
  u8 hand, lead, third[CLASSES + 1];
  u64 result[];
} plan;

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
  if (layout >= 0) return suit_open_tricks(c, *s, layout) >= most;
  const front *f = suit_front_of(c, *s);
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
  plan *first = suit_get(&c->plans, key), best = {first, DEAR, 0, 0, {0}}, one;
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
  plan *kept = c->failure || best.cost >= DEAR ? NULL : suit_take(c, (sizeof(plan) + 7) / 8 + length);
  if (!kept) return NULL;
  memcpy(kept, &best, sizeof best);
  memcpy(kept->result, result, length * sizeof(u64));
  return suit_put(c, &c->plans, key, kept) ? kept : NULL;
}

/* The card that is named for the lowest of a group of equals: of top cards the highest, since players cash the ace before the king. */
static int named(const context *c, const state *s, int hand, int lowest)
{
  u16 hidden = ranks_left(c, s->left);
  if (lowest == NO_RANK || bounded(s) || (hidden && lowest > lowest_bit(hidden))) return lowest;
  return lowest_bit(s->hands[hand]);
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
  int lead = named(c, &in, hand, leads_[p->lead]);
  int32_t led = emit(t, parent, BSST_LEAD, hand ? 3 : 1, lead);
  for (int second = NO_CLASS; second < c->classes; second++) {
    if (!answered(c, &in, hand, second, result, these)) continue;
    int third = named(c, &in, !hand, thirds[p->third[second + 1]]);
    int32_t at = emit(t, led, BSST_SECOND, hand ? 0 : 2, second == NO_CLASS ? BSST_NO_CARD : c->top[second]);
    at = emit(t, at, BSST_THIRD, hand ? 1 : 3, third == NO_RANK ? BSST_NO_CARD : third);
    emit_fourth(c, t, &in, hand, lead, second, third, result, these, at);
  }
}

int32_t bsst_line(bsst_context *context, bsst_step *steps, int32_t room, int32_t *count, uint8_t won[162])
{
  if (!context || !context->solved || !count || !won || room < 0 || (room && !steps)) return BSDD_BAD_ARGUMENT;
  struct bsst_context *c = context;
  state s = first_state(c), first = canonical(c, s);
  const front *f = suit_front_of(c, s);
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
