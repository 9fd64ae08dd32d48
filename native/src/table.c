/* The transposition table: slots by suit lengths and leader, patterns in blocks that double, blocks cut from slabs. */
#include <stdlib.h>

#include "internal.h"

static size_t table_bytes(const table *t)
{
  return ((size_t)sizeof(slot) << t->slot_bits) + (size_t)t->slabs_used * sizeof(group) * SLAB;
}

size_t table_memory(const table *t) { return t->slots ? table_bytes(t) : 0; }

/* Memory that begins where a cache line does. */
static void *take_memory(size_t bytes)
{
#ifdef _WIN32
  return _aligned_malloc(bytes, 64);
#else
  return aligned_alloc(64, bytes);
#endif
}

static void give_memory(void *memory)
{
#ifdef _WIN32
  _aligned_free(memory);
#else
  free(memory);
#endif
}

static slot *new_slots(u32 bits)
{
  slot *s = take_memory(sizeof(slot) << bits);
  if (s) memset(s, 0, sizeof(slot) << bits);
  return s;
}

int table_open(table *t, size_t limit)
{
  t->limit = limit;
  t->slot_bits = SLOT_BITS_FIRST;
  t->slots = new_slots(t->slot_bits);
  return t->slots != NULL;
}

void table_close(table *t)
{
  for (u32 i = 0; i < t->slabs_used; i++) give_memory(t->slabs[i]);
  give_memory(t->slots);
  memset(t, 0, sizeof *t);
}

/* Empties the table at a cost that follows what was in it: a small ending after a large deal is not to pay for that. */
void table_wipe(table *t)
{
  if (t->moved || t->slots_used > FEW_SLOTS) memset(t->slots, 0, sizeof(slot) << t->slot_bits);
  else
    for (u32 i = 0; i < t->slots_used; i++) t->slots[t->few[i]].key = 0;
  t->slots_used = 0;
  t->moved = 0;
  t->slab_now = 0;
  t->slab_fill = 0;
  memset(t->free_blocks, 0, sizeof t->free_blocks);
  t->free_groups = t->added = 0;
  t->generation++;
}

/* Takes a free slot for a key. */
void table_claim(table *t, slot *s, u64 key)
{
  *s = (slot){.key = key, .near = {FREE_PATTERN, FREE_PATTERN}};
  if (t->slots_used < FEW_SLOTS) t->few[t->slots_used] = (u32)(s - t->slots);
  t->slots_used++;
}

static void block_free(table *t, u32 at, int size)
{
  block_at(t, at)->lo[0] = t->free_blocks[size];
  t->free_blocks[size] = at + 1;
  t->free_groups += 1u << size;
}

static int size_of(u32 room)
{
  int size = 0;
  while (4u << size < room) size++;
  return size;
}

static node *node_at(const table *t, const list *l) { return (node *)(void *)block_at(t, l->block); }

void list_give_back(table *t, const list *l)
{
  if (l->room == SPLIT)
    for (int i = 0; i < 5; i++) list_give_back(t, node_at(t, l)->branch + i);
  if (l->room) block_free(t, l->block, l->room == SPLIT ? 0 : size_of(l->room));
}

/* Drops the patterns that were not used since this was done last. */
static void list_thin(table *t, list *l)
{
  if (l->room == SPLIT) {
    for (int i = 0; i < 5; i++) list_thin(t, node_at(t, l)->branch + i);
    return;
  }
  if (!l->room) return;
  group *g = block_at(t, l->block);
  u32 kept = 0;
  for (u32 i = 0; i < l->count; i++) {
    pattern p = pattern_at(g, i);
    if (!(p.lo & USED)) continue;
    p.lo &= ~USED;
    pattern_put(g, kept++, p);
  }
  for (u32 i = kept; i < l->count; i++) pattern_put(g, i, FREE_PATTERN);
  l->count = (uint16_t)kept;
  for (int size = size_of(l->room); size && 2 * kept <= l->room; l->room /= 2)
    size--, block_free(t, l->block + (1u << size), size);
  if (!kept) {
    block_free(t, l->block, 0);
    l->room = 0;
  }
}

/* Puts free blocks that touch each other together, so that longer lists find room in them. */
static void join_free_blocks(table *t)
{
  u32 groups = t->slabs_used * SLAB;
  unsigned char *is_free = calloc(groups, 1);
  if (!is_free) return;
  for (int size = 0; size < BLOCK_SIZES; size++) {
    for (u32 next = t->free_blocks[size]; next; next = (u32)block_at(t, next - 1)->lo[0])
      memset(is_free + next - 1, 1, (size_t)1 << size);
    t->free_blocks[size] = 0;
  }
  t->free_groups = 0;
  for (u32 at = 0, run = 0; at < groups; at += run + !run) {
    u32 end = (at / SLAB + 1) * SLAB;
    for (run = 0; at + run < end && is_free[at + run]; run++) {}
    for (u32 done = 0; done < run;) {
      int size = 0;
      while (size + 1 < BLOCK_SIZES && done + (2u << size) <= run) size++;
      block_free(t, at + done, size);
      done += 1u << size;
    }
  }
  free(is_free);
}

/* Whether so much was added since the table was thinned out that it is time to do it again. */
int table_is_full(const table *t) { return t->slabs_used && t->added >= t->slabs_used * (SLAB / 2); }

static void forget(table *t, slot *s)
{
  list_give_back(t, &s->far);
  memset(s, 0, sizeof *s);
  t->slots_used--;
}

/* Makes room in a full table: what was not used goes, and positions near the end, which are found again at little cost. */
void table_thin(table *t)
{
  u32 slots = 1u << t->slot_bits, start = 0;
  for (int least = THIN_TRICKS; least < 13 && (least == THIN_TRICKS || t->free_groups < t->slabs_used * (SLAB / 4)); least++)
    for (u32 i = 0; i < slots; i++) {
      slot *s = t->slots + i;
      if (!s->key) continue;
      if (tricks_of(s->key) <= least) forget(t, s);
      else if (least == THIN_TRICKS && tricks_of(s->key) < KEEP_TRICKS) list_thin(t, &s->far);
    }
  /* Slots move back over the gaps to where a look-up finds them; that can be done in order from any free one. */
  while (t->slots[start].key) start++;
  for (u32 i = 1; i < slots; i++) {
    slot *s = t->slots + ((start + i) & (slots - 1)), moving = *s;
    if (!moving.key) continue;
    s->key = 0;
    u32 at = slot_index(moving.key, t->slot_bits);
    while (t->slots[at].key) at = (at + 1) & (slots - 1);
    t->slots[at] = moving;
  }
  join_free_blocks(t);
  t->moved = 1;
  t->generation++;
  t->added = 0;
  if (t->free_groups < t->slabs_used * (SLAB / 8)) table_wipe(t);
}

/* Empties the table and gives its memory back. */
void table_trim(table *t)
{
  for (u32 i = 0; i < t->slabs_used; i++) give_memory(t->slabs[i]);
  t->slabs_used = 0;
  if (t->slot_bits > SLOT_BITS_FIRST) {
    slot *s = new_slots(SLOT_BITS_FIRST);
    if (s) {
      give_memory(t->slots);
      t->slots = s;
      t->slot_bits = SLOT_BITS_FIRST;
      t->slots_used = 0;
      t->moved = 0;
    }
  }
  table_wipe(t);
}

/* Room for another slot: doubles the array, or, where memory does not allow it, thins the table out. */
void table_more_slots(table *t, u64 *wipes)
{
  size_t next = (size_t)sizeof(slot) << (t->slot_bits + 1);
  slot *wide = table_bytes(t) + next <= t->limit ? new_slots(t->slot_bits + 1) : NULL;
  if (!wide) {
    ++*wipes;
    table_thin(t);
    if (t->slots_used >= (5u << t->slot_bits) / 8) table_wipe(t);
    return;
  }
  u32 bits = t->slot_bits + 1, last = (u32)((1u << bits) - 1);
  for (u32 i = 0; i < 1u << t->slot_bits; i++) {
    if (!t->slots[i].key) continue;
    u32 at = slot_index(t->slots[i].key, bits);
    while (wide[at].key) at = (at + 1) & last;
    wide[at] = t->slots[i];
  }
  give_memory(t->slots);
  t->slots = wide;
  t->slot_bits = bits;
  t->moved = 1;
  t->generation++;
}

/* A new block from the slabs; NO_BLOCK where memory does not allow one. */
static u32 block_cut(table *t, int size)
{
  u32 want = 1u << size;
  if (t->slab_now == t->slabs_used || t->slab_fill + want > SLAB) {
    if (t->slab_now < t->slabs_used) t->slab_now++;
    t->slab_fill = 0;
    if (t->slab_now == t->slabs_used) {
      if (t->slabs_used == SLABS_MOST || table_bytes(t) + sizeof(group) * SLAB > t->limit) return NO_BLOCK;
      group *slab = take_memory(sizeof(group) * SLAB);
      if (!slab) {
        t->limit = table_bytes(t); /* so that the system is not asked in vain for every pattern from now on */
        return NO_BLOCK;
      }
      t->slabs[t->slabs_used++] = slab;
    }
  }
  t->slab_fill += want;
  return t->slab_now * SLAB + t->slab_fill - want;
}

/* A block of 1 << size groups, all places free: one of that size given back, else a new one, else part of a larger. */
static u32 table_block(table *t, int size)
{
  int from = size;
  u32 at = NO_BLOCK;
  if (!t->free_blocks[size]) {
    at = block_cut(t, size);
    if (at == NO_BLOCK)
      while (++from < BLOCK_SIZES && !t->free_blocks[from]) {}
  }
  if (at == NO_BLOCK) {
    if (from >= BLOCK_SIZES) return NO_BLOCK;
    at = t->free_blocks[from] - 1;
    t->free_blocks[from] = (u32)block_at(t, at)->lo[0]; /* the next free one */
    t->free_groups -= 1u << from;
    while (from-- > size) block_free(t, at + (1u << from), from);
  }
  memset(block_at(t, at), 0xff, sizeof(group) << size);
  return at;
}

/* The branch of a node in which a pattern stands. */
static list *branch_of(node *f, pattern p)
{
  return f->branch + (p.mask >> f->place & 1 ? (p.lo >> f->place & 1) | (p.hi >> f->place & 1) << 1 : 4);
}

/* The rank whose owner parts the patterns best: a look-up scans its owner's branch and the last one. 52 where none
 * parts them well. */
static u32 best_place(const group *g, u32 count)
{
  u32 best = 52, least = count * count / 4 * 3;
  for (u32 place = 0; place < 52; place++) {
    u32 owned[5] = {0};
    for (u32 i = 0; i < count; i++) {
      pattern p = pattern_at(g, i);
      owned[p.mask >> place & 1 ? (p.lo >> place & 1) | (p.hi >> place & 1) << 1 : 4]++;
    }
    u32 scanned = owned[4] * count;
    for (int i = 0; i < 4; i++) scanned += owned[i] * owned[i];
    if (scanned < least) least = scanned, best = place;
  }
  return best;
}

/* Makes a node of a full list; 0 where that cannot be or would not help. */
static int list_split(table *t, list *l)
{
  list old = *l;
  u32 place = best_place(block_at(t, old.block), old.count);
  if (place == 52) return 0;
  u32 at = table_block(t, 0);
  if (at == NO_BLOCK) return 0;
  *l = (list){at, 0, SPLIT};
  node *f = node_at(t, l);
  memset(f, 0, sizeof *f);
  f->place = place;
  for (u32 i = 0; i < old.count; i++) list_push(t, l, pattern_at(block_at(t, old.block), i));
  list_give_back(t, &old);
  return 1;
}

INLINE int size_at(const group *g, u32 i) { return size_of_mask(g[i / 4].hi[i % 4]); }

/* Puts a pattern into a list with room for it, behind those with fewer or as many ranks. Of each size behind it one pattern
 * moves, from the first place of its size to the one behind its last. */
static void insert(group *g, list *l, pattern new)
{
  u32 at = l->count++;
  while (at && size_at(g, at - 1) > size_of_mask(new.hi)) {
    u32 first = at - 1;
    while (first && size_at(g, first - 1) == size_at(g, at - 1)) first--;
    pattern_put(g, at, pattern_at(g, first));
    at = first;
  }
  pattern_put(g, at, new);
}

/* Adds a pattern; 0 where there is no memory for it. */
int list_push(table *t, list *l, pattern new)
{
  int sorted = l->room == SPLIT && is_long(t);
  while (l->room == SPLIT) l = branch_of(node_at(t, l), new);
  if (l->count == l->room) {
    if (l->room >= (is_long(t) ? LONG_SPLIT_AT : SPLIT_AT) && list_split(t, l)) return list_push(t, l, new);
    int size = l->room ? size_of(l->room) + 1 : 0;
    u32 block = size < BLOCK_SIZES ? table_block(t, size) : NO_BLOCK;
    if (block == NO_BLOCK) return 0;
    if (l->room) {
      memcpy(block_at(t, block), block_at(t, l->block), sizeof(group) * (l->room / 4));
      block_free(t, l->block, size_of(l->room));
    }
    l->block = block;
    l->room = (uint16_t)(4 << size);
  }
  if (sorted) insert(block_at(t, l->block), l, new);
  else pattern_put(block_at(t, l->block), l->count++, new);
  t->added++;
  return 1;
}
