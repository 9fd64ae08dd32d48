/* The table: that wiping costs what was used, whatever it has held before; that no pattern is lost, and keys turn back. */
#include <stdio.h>

#include "../src/internal.h"

static int failures;

#define CHECK(what)                                                  \
  do {                                                               \
    if (!(what)) {                                                   \
      failures++;                                                    \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);     \
    }                                                                \
  } while (0)

static void fill(table *t, u32 count)
{
  u64 unused = 0;
  for (u64 key = 1; count--; key++) {
    if (t->slots_used >= (3u << t->slot_bits) / 4) table_more_slots(t, &unused);
    u32 at = slot_index(key, t->slot_bits);
    while (t->slots[at].key) at = (at + 1) & ((1u << t->slot_bits) - 1);
    table_claim(t, t->slots + at, key);
  }
}

static u32 taken(const table *t)
{
  u32 n = 0;
  for (u32 i = 0; i < 1u << t->slot_bits; i++) n += t->slots[i].key != 0;
  return n;
}

static node *node_at(table *t, const list *l) { return (node *)(void *)block_at(t, l->block); }

static u32 held(table *t, const list *l)
{
  if (l->room != SPLIT) return l->count;
  u32 n = 0;
  for (int i = 0; i < 5; i++) n += held(t, node_at(t, l)->branch + i);
  return n;
}

/* A list that becomes a node hands on what it held. */
static void test_split(void)
{
  static table t;
  list l = {0};
  CHECK(table_open(&t, (size_t)64 << 20));
  for (u32 i = 0; i < 1000; i++) CHECK(list_push(&t, &l, (pattern){.lo = i, .hi = i >> 5, .mask = 0x3ff}));
  CHECK(l.room == SPLIT && held(&t, &l) == 1000);
  table_close(&t);
}

/* The patterns of a list, branch by branch, that are behind one with more ranks. */
static u32 misplaced(table *t, const list *l)
{
  u32 n = 0;
  if (l->room == SPLIT)
    for (int i = 0; i < 5; i++) n += misplaced(t, node_at(t, l)->branch + i);
  else
    for (u32 i = 1; i < l->count; i++) {
      const group *g = block_at(t, l->block);
      n += size_of_mask(pattern_at(g, i).hi) < size_of_mask(pattern_at(g, i - 1).hi);
    }
  return n;
}

/* Patterns with all numbers of ranks in turn, in an order that has nothing to do with that. */
static list filled(table *t, u64 count)
{
  list l = {0};
  for (u64 i = 0; i < count; i++) {
    u64 mask = ((u64)1 << (i * 7 % 19 + 1)) - 1;
    CHECK(list_push(t, &l, (pattern){.lo = i & mask, .hi = (i >> 4 & mask) | (u64)COUNT(mask) << SIZE_SHIFT, .mask = mask}));
  }
  return l;
}

/* In a long search the branches of a split list are sorted, and no pattern is lost by it; in others they are not. */
static void test_sorted(void)
{
  static table t;
  CHECK(table_open(&t, (size_t)64 << 20));
  list l = filled(&t, 1000);
  CHECK(l.room == SPLIT && held(&t, &l) == 1000 && misplaced(&t, &l) > 0);
  while (!is_long(&t)) filled(&t, 1000);
  l = filled(&t, 1000);
  CHECK(l.room == SPLIT && held(&t, &l) == 1000 && misplaced(&t, &l) == 0);
  table_close(&t);
}

/* The suits of a key in order, whatever their order was; and back. */
static void test_order(void)
{
  u64 key = 1;
  for (int i = 0; i < 1000; i++) {
    key = key * 6364136223846793005u + 1442695040888963407u;
    u32 order = suit_order(key);
    u64 turned = in_order(key, order);
    CHECK(out_of_order(turned, order) == key && suit_order(turned) == SUITS_AS_THEY_ARE);
  }
}

int main(void)
{
  test_split();
  test_sorted();
  test_order();
  static table t;
  enum { MARK = 12345 };
  CHECK(table_open(&t, (size_t)64 << 20));
  fill(&t, 100000);
  CHECK(taken(&t) == 100000 && t.slot_bits > SLOT_BITS_FIRST);
  table_wipe(&t);
  CHECK(taken(&t) == 0 && t.slots_used == 0);
  /* A mark in every slot: the free ones keep it when few others are wiped. */
  for (u32 i = 0; i < 1u << t.slot_bits; i++) t.slots[i].far.block = MARK;
  fill(&t, 300);
  table_wipe(&t);
  u32 kept = 0;
  for (u32 i = 0; i < 1u << t.slot_bits; i++) kept += t.slots[i].far.block == MARK;
  CHECK(taken(&t) == 0 && kept == (1u << t.slot_bits) - 300);
  /* More than few, and few that have moved, go too. */
  fill(&t, FEW_SLOTS + 1);
  table_wipe(&t);
  CHECK(taken(&t) == 0);
  fill(&t, 10);
  t.limit = 0; /* no room for another slot: the table is thinned out, and slots may move */
  u64 wipes = 0;
  table_more_slots(&t, &wipes);
  CHECK(wipes == 1);
  fill(&t, 10);
  table_wipe(&t);
  CHECK(taken(&t) == 0);
  table_close(&t);
  printf("table: %d failures\n", failures);
  return failures != 0;
}
