/* bridgespec_dd.h: a double-dummy solver for contract bridge.
 *
 * Numbers, the same everywhere in this header:
 *   seat    0 West, 1 North, 2 East, 3 South (clockwise); 4 = nobody
 *   suit    0 spades, 1 hearts, 2 diamonds, 3 clubs
 *   card    its slot, suit * 13 + i, where i is 0 for the ace, 1 the king ... 12 the two
 *   strain  0 no trumps, 1 spades, 2 hearts, 3 diamonds, 4 clubs
 *   deal    52 bytes: the seat that holds each slot, 4 = not in play
 *   table   20 bytes: tricks[strain * 4 + declarer] of the declarer's side; the seat after the declarer leads
 *   tricks  0..13
 *
 * Failure: every function that can fail returns a status: BSDD_OK (0) or one of the positive codes below; what it
 * writes on failure is stated with it, otherwise outputs are untouched. Nothing prints, exits or sets errno.
 *
 * Threads: there is no global state. A context belongs to one thread at a time; different contexts may be used at
 * the same time by different threads. Functions that take no context may be called from anywhere.
 *
 * Results are exact and do not depend on the memory given, on what a context solved before, on the processor or on
 * the number of threads.
 */
#ifndef BRIDGESPEC_DD_H
#define BRIDGESPEC_DD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* cffi-begin: what follows up to cffi-end is plain declarations that a binding can read as they stand. */

enum {
  BSDD_OK = 0,
  BSDD_NO_MEMORY = 1,          /* the allocation failed */
  BSDD_BAD_ARGUMENT = 2,       /* a null pointer, a mode, target or mask out of range */
  BSDD_CANCELLED = 3,          /* the cancel flag was seen set */
  BSDD_BAD_HOLDER = 10,        /* card: its holder is not 0..4 */
  BSDD_BAD_STRAIN = 11,        /* the strain is not 0..4 */
  BSDD_BAD_LEADER = 12,        /* seat: the leader is not 0..3 */
  BSDD_BAD_TRICK_LENGTH = 13,  /* the current trick has more than 3 cards */
  BSDD_BAD_TRICK_CARD = 14,    /* seat, card: a card of the current trick is not 0..51 */
  BSDD_CARD_TWICE = 15,        /* seat, card: it stands twice in the current trick */
  BSDD_TRICK_CARD_HELD = 16,   /* seat, card: it was played to the current trick but is held (by seat) */
  BSDD_HAND_SIZE = 17,         /* seat: it holds more or fewer cards than the first seat to play now implies */
  BSDD_REVOKE = 18,            /* seat, card: it did not follow in the current trick while holding the suit led */
  BSDD_PLAY_CARD = 20,         /* card, index: a card of a play is not 0..51 */
  BSDD_PLAY_NOT_HELD = 21,     /* seat, card, index: a play names a card that the seat on turn does not hold */
  BSDD_PLAY_REVOKE = 22,       /* seat, card, index: a play names a card that does not follow suit */
  BSDD_PLAY_TOO_LONG = 23      /* index: a play has more cards than the position */
};

enum { BSDD_CARDS_ALL = 0, BSDD_CARDS_BEST = 1, BSDD_CARDS_TARGET = 2 };

enum { BSDD_BMI2 = 1 };      /* feature bits */
enum { BSDD_UNSOLVED = 255 }; /* a table cell that was not asked for, or not finished */

typedef struct bsdd_context bsdd_context;

/* A full deal or an ending. `holder`: as a deal; the cards of the current trick are held by nobody (4).
 * `leader`: the seat that leads, or led, the current trick. `trick`: its first `trick_length` cards, leader first.
 * The seats that have played to the trick hold one card fewer than the others. A position without cards is legal:
 * it is worth no trick. */
typedef struct {
  uint8_t holder[52];
  uint8_t strain;
  uint8_t leader;
  uint8_t trick_length; /* 0..3 */
  uint8_t trick[3];
} bsdd_position;

/* What is wrong with an input; fields that the status does not name are -1. */
typedef struct {
  int32_t status;
  int32_t seat;
  int32_t card;
  int32_t index; /* place in a list of cards, from 0 */
} bsdd_problem;

/* One playable card with all cards that are worth the same because no card in play lies between them. `card` is the
 * highest of them; bit i of `equals` is slot suit * 13 + i, `card` itself included. */
typedef struct {
  uint8_t card;
  uint8_t tricks; /* for the side of the seat on turn, the current trick included */
  uint16_t equals;
} bsdd_card;

/* Counts since the context was created or bsdd_clear_stats() was called; memory in bytes. */
typedef struct {
  uint64_t nodes;    /* cards played by the search */
  uint64_t lookups;  /* positions looked up in the table */
  uint64_t hits;     /* of these, found */
  uint64_t adds;     /* positions stored */
  uint64_t wipes;    /* times the table was full and was thinned out */
  uint64_t searches; /* zero-window searches */
  uint64_t memory;   /* bytes the context holds now */
  uint64_t memory_limit;
} bsdd_stats;

/* The library's version as "major.minor.patch"; a static string. */
const char *bsdd_version(void);

/* The processor features that the search uses on this machine: an or of BSDD_BMI2. */
uint32_t bsdd_features(void);

/* A static English sentence fragment for a status; "unknown status" for any other number. */
const char *bsdd_status_text(int32_t status);

/* Makes a context that never holds more than `memory_bytes` (0: 256 MiB; less than 4 MiB is raised to 4 MiB) and stores it
 * in *out. BSDD_NO_MEMORY or BSDD_BAD_ARGUMENT leave *out null. Memory is taken as it is needed. */
int32_t bsdd_create(size_t memory_bytes, bsdd_context **out);

/* Frees a context; null is allowed. */
void bsdd_destroy(bsdd_context *context);

/* Forgets all that was learnt and gives memory back; the cancel flag and statistics stay. */
void bsdd_reset(bsdd_context *context);

/* From now on the search uses no processor features but these; results are the same. A new context uses all there are. */
void bsdd_set_features(bsdd_context *context, uint32_t features);

/* From now on the context stops with BSDD_CANCELLED soon (some milliseconds) after *flag is seen non-zero. The flag
 * may be set by another thread or a signal handler at any time, must outlive its use, and null removes it. A
 * cancelled context is usable again once the flag is zero. */
void bsdd_set_cancel(bsdd_context *context, const volatile int *flag);

/* From now on `ask(argument)` is called by the thread that uses the context some tens of times a second while it works, and
 * never by a question that is answered sooner; where it returns non-zero the context stops with BSDD_CANCELLED. For
 * interpreters, which must look for signals themselves. Null removes it. It must return, and not use the context. */
void bsdd_set_interrupt(bsdd_context *context, int32_t (*ask)(void *argument), void *argument);

/* Copies the counts to *out; bsdd_clear_stats sets them to zero. */
void bsdd_get_stats(const bsdd_context *context, bsdd_stats *out);
void bsdd_clear_stats(bsdd_context *context);

/* BSDD_OK for a position that can be solved, else the first fault found, in the order of the codes above. *problem
 * (may be null) is always written. Every function that takes a position makes this check itself. */
int32_t bsdd_check(const bsdd_position *position, bsdd_problem *problem);

/* The same for a deal, full or an ending at the start of a trick: BSDD_BAD_HOLDER or BSDD_HAND_SIZE. */
int32_t bsdd_check_deal(const uint8_t deal[52], bsdd_problem *problem);

/* The tricks that the side of the seat on turn takes with best play by all, the current trick included. */
int32_t bsdd_solve(bsdd_context *context, const bsdd_position *position, int32_t *tricks);

/* bsdd_solve, and which cards the result depends on: bit i of ranks[suit] is set where the holder of slot suit * 13 + i mattered.
 * The result is the same in every position with the same strain, leader and current trick in which each seat holds as many
 * cards of each suit as here, and the cards that mattered. Cards that did not matter can be exchanged between seats. The set
 * depends on what the context has solved before, and need not be the smallest. */
int32_t bsdd_solve_ranks(bsdd_context *context, const bsdd_position *position, int32_t *tricks, uint16_t ranks[4]);

/* Whether the side of the seat on turn can take at least `target` tricks, the current one included: *yes is 0 or 1.
 * One zero-window search, cheaper than bsdd_solve. Any target is allowed. */
int32_t bsdd_at_least(bsdd_context *context, const bsdd_position *position, int32_t target, int32_t *yes);

/* The result of each card that the seat on turn may play, equal cards grouped, best first and then in slot order.
 *   BSDD_CARDS_ALL     all groups, with their exact tricks
 *   BSDD_CARDS_BEST    only the groups that reach the best result
 *   BSDD_CARDS_TARGET  only the groups that take at least `target` tricks; `tricks` is then `target`. Cheapest.
 * `target` is 0..13 and used only by the last. `cards` has room for 13; *count is the number written. */
int32_t bsdd_cards(bsdd_context *context, const bsdd_position *position, int32_t mode, int32_t target,
                   bsdd_card cards[13], int32_t *count);

/* The cells of the table of a deal (full, or an ending with equal hands) that `cells` asks for: bit strain * 4 +
 * declarer, 0xfffff for all. Cells not asked for, and on failure all unfinished ones, are BSDD_UNSOLVED. */
int32_t bsdd_table(bsdd_context *context, const uint8_t deal[52], uint32_t cells, uint8_t table[20]);

/* bsdd_table for `count` deals of 52 bytes that follow each other, into `count` tables of 20. statuses[i] (one byte a
 * deal, may be null) is that deal's status; a bad deal does not stop the others, and its cells are BSDD_UNSOLVED.
 * Stops only when cancelled: BSDD_CANCELLED, and the deals that were not finished have that status. *done (may be
 * null) is the number of deals dealt with before the return. Else BSDD_OK if all went well, or the first bad status. */
int32_t bsdd_batch(bsdd_context *context, const uint8_t *deals, size_t count, uint32_t cells, uint8_t *tables,
                   uint8_t *statuses, size_t *done);

/* What each card of a play was worth: tricks[i], i = 0..count, are the tricks that North-South take in all (from
 * `position` on, with what they have won by then) when the first i cards are played as given and the rest is best play.
 * `tricks` has room for count + 1. A card costs its side a trick where the number changes. A card that cannot be
 * played gives one of the BSDD_PLAY codes, with *problem (may be null) written and tricks[0..index] valid. */
int32_t bsdd_analyse_play(bsdd_context *context, const bsdd_position *position, const uint8_t *cards, int32_t count,
                          uint8_t *tricks, bsdd_problem *problem);

/* One line of best play from the position to its last card, always the lowest card of the first group of equals, in slot
 * order, that keeps the result: cards[0..*count - 1] (room for 52), and *tricks for the side of the seat on turn now. */
int32_t bsdd_best_line(bsdd_context *context, const bsdd_position *position, uint8_t cards[52], int32_t *count,
                       int32_t *tricks);

/* cffi-end */

#ifdef __cplusplus
}
#endif
#endif
