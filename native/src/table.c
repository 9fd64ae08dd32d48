/* The transposition table: slots by suit lengths and leader, patterns in blocks that double, blocks cut from slabs. */
#include <stdlib.h>

#include "internal.h"

static size_t table_bytes(const table *t)
{
  return ((size_t)sizeof(slot) << t->slot_bits) + (size_t)t->slabs_used * sizeof(group) * SLAB;
}

size_t table_memory(const table *t) { return t->slots ? table_bytes(t) : 0; }

static slot *new_slots(u32 bits)
{
  slot *s = aligned_alloc(64, sizeof(slot) << bits);
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
  for (u32 i = 0; i < t->slabs_used; i++) free(t->slabs[i]);
  free(t->slots);
  memset(t, 0, sizeof *t);
}

void table_wipe(table *t)
{
  if (t->slots_used) memset(t->slots, 0, sizeof(slot) << t->slot_bits);
  t->slots_used = 0;
  t->slab_now = 0;
  t->slab_fill = 0;
  memset(t->free_blocks, 0, sizeof t->free_blocks);
  t->generation++;
}

/* Empties the table and gives its memory back. */
void table_trim(table *t)
{
  for (u32 i = 0; i < t->slabs_used; i++) free(t->slabs[i]);
  t->slabs_used = 0;
  if (t->slot_bits > SLOT_BITS_FIRST) {
    slot *s = new_slots(SLOT_BITS_FIRST);
    if (s) {
      free(t->slots);
      t->slots = s;
      t->slot_bits = SLOT_BITS_FIRST;
      t->slots_used = 0;
    }
  }
  table_wipe(t);
}

/* Room for another slot: doubles the array, or, where memory does not allow it, empties the table. */
void table_more_slots(table *t, u64 *wipes)
{
  size_t next = (size_t)sizeof(slot) << (t->slot_bits + 1);
  slot *wide = table_bytes(t) + next <= t->limit ? new_slots(t->slot_bits + 1) : NULL;
  if (!wide) {
    ++*wipes;
    table_wipe(t);
    return;
  }
  u32 bits = t->slot_bits + 1, last = (u32)((1u << bits) - 1);
  for (u32 i = 0; i < 1u << t->slot_bits; i++) {
    if (!t->slots[i].key) continue;
    u32 at = slot_index(t->slots[i].key, bits);
    while (wide[at].key) at = (at + 1) & last;
    wide[at] = t->slots[i];
  }
  free(t->slots);
  t->slots = wide;
  t->slot_bits = bits;
  t->generation++;
}

/* A block of 1 << size groups, all places free; NO_BLOCK where memory does not allow one. */
u32 table_block(table *t, int size)
{
  u32 at = t->free_blocks[size];
  if (at) {
    at--;
    t->free_blocks[size] = (u32)block_at(t, at)->lo[0]; /* the next free one */
    memset(block_at(t, at), 0xff, sizeof(group) << size);
    return at;
  }
  u32 want = 1u << size;
  if (t->slab_now == t->slabs_used || t->slab_fill + want > SLAB) {
    if (t->slab_now < t->slabs_used) t->slab_now++;
    t->slab_fill = 0;
    if (t->slab_now == t->slabs_used) {
      if (t->slabs_used == SLABS_MOST || table_bytes(t) + sizeof(group) * SLAB > t->limit) return NO_BLOCK;
      group *slab = aligned_alloc(64, sizeof(group) * SLAB);
      if (!slab) return NO_BLOCK;
      t->slabs[t->slabs_used++] = slab;
    }
  }
  at = t->slab_now * SLAB + t->slab_fill;
  t->slab_fill += want;
  memset(block_at(t, at), 0xff, sizeof(group) << size);
  return at;
}
