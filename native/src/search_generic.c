/* The search for any processor. */
#include "internal.h"

/* The moves that bring the bits chosen by a mask together, in six steps (H. S. Warren, Hacker's Delight, 7-4). */
typedef struct {
  u64 mask, step[6];
} packer;

static void packer_make(packer *p, u64 mask)
{
  u64 zeros = ~mask << 1;
  p->mask = mask;
  for (int i = 0; i < 6; i++) {
    u64 parity = zeros;
    for (int shift = 1; shift < 64; shift *= 2) parity ^= parity << shift;
    u64 move = parity & mask;
    p->step[i] = move;
    mask = (mask ^ move) | (move >> (1 << i));
    zeros &= ~parity;
  }
}

static u64 pack(const packer *p, u64 x)
{
  x &= p->mask;
  for (int i = 0; i < 6; i++) {
    u64 move = x & p->step[i];
    x = (x ^ move) | (move >> (1 << i));
  }
  return x;
}

static u64 unpack(const packer *p, u64 x)
{
  for (int i = 5; i >= 0; i--) {
    u64 moved = x << (1 << i);
    x = (x & ~p->step[i]) | (moved & p->step[i]);
  }
  return x & p->mask;
}

#define NAME(x) x##_generic
#define PACKER(all) packer the_packer; packer_make(&the_packer, all)
#define PACK(x, all) pack(&the_packer, x)
#define UNPACK(x, all) unpack(&the_packer, x)
#define MATCH_START(lo, hi) ((void)0)
#define MATCH(g, lo, hi) match_four(g, lo, hi)

INLINE u32 match_four(const group *g, u64 lo, u64 hi)
{
  u32 found = 0;
  for (u32 i = 0; i < 4; i++) found |= (u32)((((lo ^ g->lo[i]) | (hi ^ g->hi[i])) & g->mask[i]) == 0) << i;
  return found;
}

#include "search_impl.h"
