/* What is known of a position: a slot by suit lengths, and in it the patterns that hold. Compiled with the search. */

INLINE int holds(const pattern *p, u64 lo, u64 hi) { return (((lo ^ p->lo) | (hi ^ p->hi)) & p->mask) == 0; }

static slot *find_slot(bsdd_context *c, u64 key)
{
  u32 last = (1u << c->table.slot_bits) - 1, at = slot_index(key, c->table.slot_bits);
  slot *s = c->table.slots + at;
  while (s->key != key && s->key) {
    at = (at + 1) & last;
    s = c->table.slots + at;
  }
  return s;
}

/* Whether both say the same of the same ranks; the second one then gets the better bounds of both. */
INLINE int same(const pattern *old, pattern *new)
{
  if (old->mask != new->mask || !holds(old, new->lo, new->hi)) return 0;
  int lower = lower_of(old->lo), upper = upper_of(old->lo);
  if (lower < lower_of(new->lo)) lower = lower_of(new->lo);
  if (upper > upper_of(new->lo)) upper = upper_of(new->lo);
  new->lo = (new->lo & CARD_BITS) | (u64)lower << LOWER_SHIFT | (u64)upper << UPPER_SHIFT;
  return 1;
}

INLINE int decides(u64 lo, int need)
{
  return lower_of(lo) >= need || upper_of(lo) < need;
}

/* The place in a list of a pattern that holds here and decides, or its count; *undecided is set if one holds that does not. */
INLINE u32 scan(const group *g, u32 count, u64 lo, u64 hi, int need, int *undecided)
{
  MATCH_START(lo, hi);
  for (u32 i = 0; i < count; i += 4)
    for (u32 match = MATCH(g + i / 4, lo, hi); match; match &= match - 1) {
      u32 at = i + (u32)LOW(match);
      if (decides(g[at / 4].lo[at % 4], need)) return at;
      *undecided = 1;
    }
  return count;
}

/* The same in a list that is split: the branch to which the rank does not matter, where the more general patterns are
 * and most is found, then the owner's. */
static group *NAME(find)(bsdd_context *c, const list *l, u64 lo, u64 hi, int need, int *undecided, u32 *place)
{
  while (l->room == SPLIT) {
    const node *f = (const node *)(const void *)block_at(&c->table, l->block);
    const list *owned = f->branch + ((lo >> f->place & 1) | (hi >> f->place & 1) << 1), *any = f->branch + 4;
    group *found = any->room ? NAME(find)(c, any, lo, hi, need, undecided, place) : NULL;
    if (found) return found;
    l = owned;
  }
  if (!l->count) return NULL;
  group *g = block_at(&c->table, l->block);
  *place = scan(g, l->count, lo, hi, need, undecided);
  return *place < l->count ? g : NULL;
}

/* A stored pattern that holds here and decides. What was useful will be again: it comes to the front, and what stood
 * there moves half way to its place. */
INLINE const pattern *look_up(bsdd_context *c, slot *s, u64 lo, u64 hi, int need, int *undecided)
{
  if (s->far.count) PREFETCH(block_at(&c->table, s->far.block));
  for (u32 i = 0; i < 2; i++) {
    if (!holds(&s->near[i], lo, hi)) continue;
    if (decides(s->near[i].lo, need)) {
      if (i) {
        pattern hit = s->near[1];
        s->near[1] = s->near[0];
        s->near[0] = hit;
      }
      return s->near;
    }
    *undecided = 1;
  }
  if (!s->far.room) return NULL;
  u32 at;
  group *g = block_at(&c->table, s->far.block);
  if (LIKELY(s->far.room != SPLIT)) {
    at = scan(g, s->far.count, lo, hi, need, undecided);
    if (at == s->far.count) return NULL;
  } else {
    g = NAME(find)(c, &s->far, lo, hi, need, undecided, &at);
    if (!g) return NULL;
  }
  pattern hit = pattern_at(g, at);
  hit.lo |= USED;
  if (s->far.room != SPLIT || !is_long(&c->table)) {
    pattern_put(g, at, pattern_at(g, at / 2));
    pattern_put(g, at / 2, s->far.room == SPLIT ? hit : s->near[1]);
  } else g[at / 4].lo[at % 4] = hit.lo;
  s->near[1] = s->near[0];
  s->near[0] = hit;
  return s->near;
}

/* Puts a pattern where its list says the same of the same ranks already; 0 where it does not. */
static int NAME(replace_far)(bsdd_context *c, list *l, pattern *new)
{
  while (l->room == SPLIT) {
    node *f = (node *)(void *)block_at(&c->table, l->block);
    l = f->branch + (new->mask >> f->place & 1 ? (new->lo >> f->place & 1) | (new->hi >> f->place & 1) << 1 : 4);
  }
  group *g = l->count ? block_at(&c->table, l->block) : NULL;
  for (u32 i = 0; i < l->count; i++) {
    pattern p = pattern_at(g, i);
    if (!same(&p, new)) continue;
    pattern_put(g, i, *new);
    return 1;
  }
  return 0;
}

/* The same for a slot, where it may stand in front, far, or, in front of a split list, in both. */
static int NAME(replace)(bsdd_context *c, slot *s, pattern *new)
{
  int i = 0;
  while (i < 2 && !same(&s->near[i], new)) i++;
  if (i < 2) s->near[i] = *new;
  if (i < 2 && s->far.room != SPLIT) return 1;
  return NAME(replace_far)(c, &s->far, new) || i < 2;
}

/* The slot of a key, made where there is none. */
static slot *NAME(take_slot)(bsdd_context *c, u64 key)
{
  slot *s = find_slot(c, key);
  if (s->key) return s;
  if (c->table.slots_used >= (3u << c->table.slot_bits) / 4) {
    table_more_slots(&c->table, &c->wipes);
    s = find_slot(c, key);
  }
  table_claim(&c->table, s, key);
  return s;
}

/* Puts a pattern in front; what was last there goes to the list (a split list has all, the front only copies). In a long
 * search it is the later copy that makes way: the first has just decided elsewhere, and a new pattern mostly depends on more
 * ranks. 0 where there was no room for it in the list. */
static int NAME(put_in_front)(bsdd_context *c, slot *s, pattern new)
{
  int split = s->far.room == SPLIT;
  pattern last = split ? new : s->near[1];
  int kept = is_free(&last) || list_push(&c->table, &s->far, last);
  if (!split || !is_long(&c->table)) s->near[1] = s->near[0], s->near[0] = new;
  else s->near[1] = new;
  return kept;
}

/* Stores what was found out; `s` is where the look-up was, unless slots have moved since. */
NOINLINE void NAME(add)(bsdd_context *c, slot *s, u64 key, u32 generation, pattern new, int undecided)
{
  if (generation != c->table.generation || s->key != key) s = NAME(take_slot)(c, key);
  c->adds++;
  if (undecided && NAME(replace)(c, s, &new)) return;
  if (NAME(put_in_front)(c, s, new) || !table_is_full(&c->table)) return;
  c->wipes++;
  table_thin(&c->table);
}
