/* What the parts of the solver share. Inside, a card is one bit of a 64-bit word: lane * 16 + i, where i = 0 is the
 * ace. Trumps are always in lane 0, so the code that asks "is it a trump" compares with a constant. The three unused
 * bits of a lane stop carries between suits. */
#ifndef BSDD_INTERNAL_H
#define BSDD_INTERNAL_H

#ifndef __wasm__
#include <setjmp.h>
#endif
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../include/bridgespec_dd.h"

typedef uint64_t u64;
typedef uint32_t u32;

#if defined(__GNUC__) || defined(__clang__)
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE static __attribute__((noinline))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PREFETCH(p) __builtin_prefetch(p)
#define COUNT(x) __builtin_popcountll(x)
#define LOW(x) __builtin_ctzll(x)        /* index of the highest card of a set; the set must not be empty */
#define HIGH(x) (63 - __builtin_clzll(x)) /* index of the lowest card */
#else
#define INLINE static inline
#define NOINLINE static
#define LIKELY(x) (x)
#define UNLIKELY(x) (x)
#define PREFETCH(p) ((void)(p))
INLINE int COUNT(u64 x)
{
  x -= (x >> 1) & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
  return (int)((((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u) >> 56);
}
INLINE int LOW(u64 x) { return COUNT((x & (0 - x)) - 1); }
INLINE int HIGH(u64 x)
{
  x |= x >> 1, x |= x >> 2, x |= x >> 4, x |= x >> 8, x |= x >> 16, x |= x >> 32;
  return COUNT(x) - 1;
}
#endif

#define LANES 0x1fff1fff1fff1fffu
#define ONES 0x0001000100010001u
#define GUARD 0x2000200020002000u
#define LANE0 0x1fffu
#define BIT(i) ((u64)1 << (i))

INLINE u64 lane_of_index(int i) { return (u64)LANE0 << (i & 48); }

/* In each lane, the places above the best card of x (all 13 where x has none). */
INLINE u64 above(u64 x)
{
  x |= GUARD;
  return ~x & (x - ONES) & LANES;
}

/* In each lane, the places down to and with the lowest card of x. */
INLINE u64 down_to(u64 x)
{
  x |= (x >> 1) & 0x7fff7fff7fff7fffu;
  x |= (x >> 2) & 0x3fff3fff3fff3fffu;
  x |= (x >> 4) & 0x0fff0fff0fff0fffu;
  return x | ((x >> 8) & 0x00ff00ff00ff00ffu);
}

/* The cards of `hand` that have no equal above them: no card in play lies between equals. */
INLINE u64 tops_of_runs(u64 hand, u64 all)
{
  u64 gone = LANES & ~all, next = hand << 1;
  u64 beyond = ((next & gone) + gone) & ~gone;
  return hand & ~(next | beyond);
}

/* Whether a card takes the trick from the card that is winning it; `led` is the lane led. Lane 0 holds the lowest bits,
 * so a trump is below every other card, and only a trump is below a trump. */
INLINE int beats(u64 card, u64 win, u64 led, int suit_contract)
{
  return card < win && (card & (suit_contract ? led | LANE0 : led)) != 0;
}

/* A pattern says who owns the top ranks of each suit. Cards are numbered among those still in play, suit after suit;
 * with the suit lengths of all hands known from the slot, that numbering is the same for all positions of the slot.
 * lo and hi are the two bits of the owner's seat; mask chooses the ranks that matter. At most 52 bits are cards: the
 * top bits of lo are the bounds on the tricks of the leader's side, those of hi the number of ranks in the mask. */
typedef struct {
  u64 lo, hi, mask;
} pattern;

#define FREE_PATTERN ((pattern){~(u64)0, ~(u64)0, ~(u64)0})
INLINE int is_free(const pattern *p) { return p->mask == ~(u64)0; }
#define LOWER_SHIFT 52
#define UPPER_SHIFT 56
#define USED BIT(60) /* it has decided since the table was last thinned out */
#define CARD_BITS (BIT(52) - 1)
#define SIZE_SHIFT 52

/* Patterns in a block of the pool; or, where there were too many, a node that parts them. */
typedef struct {
  u32 block;
  uint16_t count, room; /* room of the block; SPLIT: the block is a node */
} list;

#define SPLIT 0xffffu
#ifndef SPLIT_AT
#define SPLIT_AT 128 /* patterns */
#endif
/* In long searches, which have filled so many slabs, lists split earlier, and the lists that they split into are sorted, those
 * patterns first that depend on few ranks: a look-up takes the first one that decides, and the fewer ranks it depends on, the
 * more positions are like this one. In other searches that gives 2% fewer nodes and costs 3% to 5% of the time. */
#ifndef LONG_SLABS
#define LONG_SLABS 4u
#endif
#ifndef LONG_SPLIT_AT
#define LONG_SPLIT_AT 64
#endif

/* All that is known for one leader and one set of suit lengths. The two patterns useful last stand here: taken out of
 * the list, or copies where it is split; a free one, like a free place of a group, has all bits set. */
typedef struct {
  u64 key; /* 0: free */
  list far;
  pattern near[2];
} slot;

/* Parts patterns by the owner of one rank; those to which it does not matter are in the last branch. */
typedef struct {
  list branch[5];
  u32 place;
} node;

/* Four patterns side by side, so that one vector instruction works on all. A free place matches nothing. */
typedef struct {
  u64 lo[4], hi[4], mask[4];
} group;

#ifndef BLOCK_SIZES
#define BLOCK_SIZES 11 /* so no list is longer than 4098 */
#endif
#ifndef THIN_TRICKS
#define THIN_TRICKS 3
#endif
#ifndef KEEP_TRICKS
#define KEEP_TRICKS 9
#endif
#ifndef SLAB
#define SLAB 4096u /* groups a slab */
#endif
#define SLABS_MOST 4096u
#define NO_BLOCK 0xffffffffu
#define SLOT_BITS_FIRST 7 /* a small ending needs no more, and a deal doubles them in some microseconds */
#define FEW_SLOTS 1024u

/* What is relied on: a slot is a cache line, a node fits where a group does, a count of patterns is never taken for a
 * node, and a block never reaches beyond its slab. */
_Static_assert(sizeof(pattern) == 24 && sizeof(list) == 8 && sizeof(slot) == 64, "a slot is a cache line");
_Static_assert(sizeof(group) == 96 && sizeof(node) <= sizeof(group), "a node stands in the place of a group");
_Static_assert((4u << (BLOCK_SIZES - 1)) < SPLIT, "the longest list is not a node");
_Static_assert((SLAB & (SLAB - 1)) == 0 && (1u << (BLOCK_SIZES - 1)) <= SLAB, "a slab holds whole blocks");
_Static_assert((u64)SLAB * SLABS_MOST < NO_BLOCK, "every block has a number");

typedef struct {
  slot *slots;
  u32 slot_bits, slots_used;
  u32 few[FEW_SLOTS]; /* where the slots in use are, while they are few and have not moved */
  int moved;
  u32 generation; /* changes when slots move or go */
  u32 slabs_used, slab_now, slab_fill, free_groups;
  u32 added; /* patterns, since it was thinned out */
  u32 free_blocks[BLOCK_SIZES]; /* 1 + the first free block of 1 << i groups, 0 = none */
  size_t limit;
  group *slabs[SLABS_MOST];
} table;

INLINE int lower_of(u64 lo) { return (int)(lo >> LOWER_SHIFT & 15); }
INLINE int upper_of(u64 lo) { return (int)(lo >> UPPER_SHIFT & 15); }
INLINE int size_of_mask(u64 hi) { return (int)(hi >> SIZE_SHIFT & 63); }
INLINE int is_long(const table *t) { return t->slab_now >= LONG_SLABS; }
INLINE u32 slot_index(u64 key, u32 bits) { return (u32)((key * 0x9e3779b97f4a7c15u) >> (64 - bits)); }
INLINE group *block_at(const table *t, u32 at) { return t->slabs[at / SLAB] + at % SLAB; }
INLINE pattern pattern_at(const group *g, u32 i)
{
  return (pattern){g[i / 4].lo[i % 4], g[i / 4].hi[i % 4], g[i / 4].mask[i % 4]};
}
INLINE void pattern_put(group *g, u32 i, pattern p)
{
  g[i / 4].lo[i % 4] = p.lo, g[i / 4].hi[i % 4] = p.hi, g[i / 4].mask[i % 4] = p.mask;
}

int table_open(table *t, size_t limit);
void table_close(table *t);
void table_wipe(table *t);
void table_claim(table *t, slot *s, u64 key);
void table_thin(table *t);
int table_is_full(const table *t);
void list_give_back(table *t, const list *l);
int list_push(table *t, list *l, pattern new);
void table_trim(table *t);
void table_more_slots(table *t, u64 *wipes);
size_t table_memory(const table *t);

#define HINT_BITS 16
#define HINT_BITS_OF(n) ((n) > HINT_BITS - 6 ? HINT_BITS : (n) + 6) /* n tricks: a small ending needs few, and soon wiped */
#ifndef LEAST_MEMORY
#define LEAST_MEMORY ((size_t)4 << 20)
#endif
#ifndef LONG_SEARCH
#define LONG_SEARCH 4000000u
#endif

struct bsdd_context {
  u64 hand[4];
  u64 nodes, lookups, hits, adds, wipes, searches;
  int suit_contract; /* trumps are lane 0; else there are none */
  u32 leads; /* since the context was made: see must_stop */
  int merge_suits; /* a search in no trumps has grown long: see suit_order */
  u64 nodes_before; /* this deal and strain */
  int use_bmi2;
  unsigned char two_hands[1 << 15]; /* what is worked out there, in quick.h */
  u32 *hints;
  int hint_bits, hint_room; /* those in use, and those that there is memory for */
#ifndef __wasm__
  const volatile int *cancel;
  int32_t (*ask)(void *);
  void *ask_argument;
  jmp_buf stop;
#endif
  size_t limit;
  u64 mattered; /* by the last search: cards in play whose holders its result depends on, suit lengths given */
  u64 learnt_hand[4]; /* the full hands that the table's contents come from (they hold for all endings of them) */
  int learnt_strain; /* -1: none */
  table table;
};

typedef struct {
  u64 win; /* cards whose rank mattered */
  int64_t value;
} result;

/* A key is the suit lengths: sixteen bits a lane, four a seat. */
INLINE u64 shape_of(int seat, int lane) { return BIT(16 * lane + 4 * seat); }

/* A key with its seats counted from the leader, so that what is true of one leader serves all. */
INLINE u64 turned(u64 key, int leader)
{
  u64 stay = ONES * (0xffffu >> 4 * leader);
  return (key >> 4 * leader & stay) | (key << (16 - 4 * leader) & ~stay);
}

/* Tricks left, by a key. */
INLINE int tricks_of(u64 key) { return (int)((key & ONES * 15) * ONES >> 48); }

/* In no trumps all suits are alike: put in the order of their lengths, positions that differ only in the names of the
 * suits become one. An order is four lanes of two bits; that of a turned key is stable. */
#define SUITS_AS_THEY_ARE 0xe4u
INLINE u32 suit_order(u64 key)
{
  u32 by[4];
  for (u32 i = 0; i < 4; i++) by[i] = (u32)(key >> 16 * i & 0xffff) << 2 | i;
#define SORT_TWO(a, b)                            \
  do {                                          \
    u32 least = by[a] < by[b] ? by[a] : by[b];  \
    by[b] ^= by[a] ^ least, by[a] = least;          \
  } while (0)
  SORT_TWO(0, 1);
  SORT_TWO(2, 3);
  SORT_TWO(0, 2);
  SORT_TWO(1, 3);
  SORT_TWO(1, 2);
#undef SORT_TWO
  return (by[0] & 3) | (by[1] & 3) << 2 | (by[2] & 3) << 4 | (by[3] & 3) << 6;
}
INLINE u64 in_order(u64 x, u32 order)
{
  u64 out = 0;
  for (int i = 0; i < 4; i++) out |= (x >> 16 * (order >> 2 * i & 3) & 0xffff) << 16 * i;
  return out;
}
INLINE u64 out_of_order(u64 x, u32 order)
{
  u64 out = 0;
  for (int i = 0; i < 4; i++) out |= (x >> 16 * i & 0xffff) << 16 * (order >> 2 * i & 3);
  return out;
}

/* A search that must stop leaves by a jump to the function that was called. In WebAssembly there is no such jump: there a
 * search is stopped by ending the thread that it runs in. */
#define CHECK_LEADS 1024u       /* tricks begun between two looks at the flag: some tenths of a millisecond */
#define ASK_LEADS (1024u * 64) /* and between two questions, which may take the interpreter's lock: some tens */
#ifdef __wasm__
#define STOPPED(c) 0
#define STOP_IF_TOLD(c) ((void)0)
INLINE int must_stop(const bsdd_context *c) { return (void)c, 0; }
#else
#define STOPPED(c) setjmp((c)->stop)
#define STOP_IF_TOLD(c) (must_stop(c) ? longjmp((c)->stop, 1) : (void)0)
int must_stop(const bsdd_context *c);
#endif

/* A search from a position with `count` cards (bits, in order) in the current trick; n tricks are left, this one
 * included. A value of at least `need` is a lower bound on the tricks of the leader's side, one below it an upper
 * bound. Hands and contract stand in the context. */
typedef struct {
  int leader, n, need, count;
  u64 card[3];
} problem;

int64_t search_generic(bsdd_context *c, const problem *p);
int64_t search_bmi2(bsdd_context *c, const problem *p);
int have_bmi2(void);

#endif
