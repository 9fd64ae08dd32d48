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

/* The place in a list of a pattern that holds here and decides, or its count; *known is set if one holds that does not. */
INLINE u32 scan(bsdd_context *c, const group *g, u32 count, u64 lo, u64 hi, int need, int *known)
{
  MATCH_START(lo, hi);
  (void)c;
  for (u32 i = 0; i < count; i += 4) {
    TRACE(c->compares++);
    for (u32 match = MATCH(g + i / 4, lo, hi); match; match &= match - 1) {
      u32 at = i + (u32)LOW(match);
      if (decides(g[at / 4].lo[at % 4], need)) return at;
      *known = 1;
    }
  }
  return count;
}

/* The same in a list that is split: the branch to which the rank does not matter, where the more general patterns are
 * and most is found, then the owner's. */
static group *NAME(find)(bsdd_context *c, const list *l, u64 lo, u64 hi, int need, int *known, u32 *place)
{
  while (l->room == SPLIT) {
    const node *f = (const node *)(const void *)block_at(&c->table, l->block);
    const list *owned = f->branch + ((lo >> f->place & 1) | (hi >> f->place & 1) << 1), *any = f->branch + 4;
    group *found = any->room ? NAME(find)(c, any, lo, hi, need, known, place) : NULL;
    if (found) return found;
    l = owned;
  }
  if (!l->count) return NULL;
  group *g = block_at(&c->table, l->block);
  *place = scan(c, g, l->count, lo, hi, need, known);
  return *place < l->count ? g : NULL;
}

/* A stored pattern that holds here and decides. What was useful will be again: it comes to the front, and what stood
 * there moves half way to its place. */
INLINE const pattern *look_up(bsdd_context *c, slot *s, u64 lo, u64 hi, int need, int *known)
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
    *known = 1;
  }
  if (!s->far.room) return NULL;
  u32 at;
  group *g = block_at(&c->table, s->far.block);
  if (LIKELY(s->far.room != SPLIT)) {
    at = scan(c, g, s->far.count, lo, hi, need, known);
    if (at == s->far.count) return NULL;
  } else {
    g = NAME(find)(c, &s->far, lo, hi, need, known, &at);
    if (!g) return NULL;
  }
  pattern hit = pattern_at(g, at);
  hit.lo |= USED;
  pattern_put(g, at, pattern_at(g, at / 2));
  pattern_put(g, at / 2, s->far.room == SPLIT ? hit : s->near[1]);
  s->near[1] = s->near[0];
  s->near[0] = hit;
  return s->near;
}

/* Where the same ranks of the same owners stand already. */
static int NAME(merge)(bsdd_context *c, list *l, pattern *new)
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

NOINLINE void NAME(add)(bsdd_context *c, slot *s, u64 key, u32 generation, pattern new, int known)
{
  if (generation != c->table.generation || s->key != key) {
    s = find_slot(c, key);
    if (!s->key) {
      if (c->table.slots_used >= (3u << c->table.slot_bits) / 4) {
        table_more_slots(&c->table, &c->wipes);
        s = find_slot(c, key);
      }
      c->table.slots_used++;
      *s = (slot){.key = key, .near = {new, FREE_PATTERN}};
      return;
    }
  }
  c->adds++;
  if (known) {
    int i = same(s->near, &new) ? 0 : same(s->near + 1, &new) ? 1 : 2;
    if (i < 2) s->near[i] = new;
    if ((i == 2 || s->far.room == SPLIT) && NAME(merge)(c, &s->far, &new)) return;
    if (i < 2) return;
  }
  pattern last = s->far.room == SPLIT ? new : s->near[1];
  if (last.mask != ~(u64)0 && !list_push(&c->table, &s->far, last)) {
    if (table_is_full(&c->table)) {
      c->wipes++;
      c->adds--;
      table_thin(&c->table);
      NAME(add)(c, s, key, generation, new, 0);
      return;
    }
  }
  s->near[1] = s->near[0];
  s->near[0] = new;
}
