/* bridgespec_suit.h: the best play of one suit by a declarer who sees two hands, against defenders who see all four.
 *
 * The game. Declarer leads each trick from North or South and plays from the hand opposite; the defenders follow suit. Nobody
 * leads the suit but declarer. A value is what one fixed line of play guarantees in each layout of the hidden cards, where the
 * defenders know the layout and the line (best defence; Frank and Basin, "Search in games with incomplete information", 1998).
 *
 * Numbers, the same everywhere in this header:
 *   hand     0 North, 1 South
 *   seat     0 West, 1 North, 2 East, 3 South
 *   rank     0 ace, 1 king ... 12 two; a set of ranks has bit i for rank i
 *   class    hidden cards between which declarer holds no card are equal and form a class, the highest class is 0
 *   layout   West's number of cards in each class, as a mixed radix number: the sum of count[c] * stride[c], where stride[0] is 1
 *            and stride[c + 1] is stride[c] * (size[c] + 1)
 *   weight   of a layout: any integers whose sum, times 13, fits 64 bits
 *
 * Failure and threads: as in bridgespec_dd.h, with its codes BSDD_OK, BSDD_NO_MEMORY, BSDD_BAD_ARGUMENT, BSDD_CANCELLED.
 */
#ifndef BRIDGESPEC_SUIT_H
#define BRIDGESPEC_SUIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* cffi-begin: what follows up to cffi-end is plain declarations that a binding can read as they are. */

enum {
  BSST_LAYOUTS = 162, /* no suit of 13 cards has more layouts */
  BSST_ANY = 255,     /* entries: any number; a first card: not prescribed */
  BSST_NO_CARD = 254  /* a discard */
};

enum { BSST_LEAD = 0, BSST_SECOND = 1, BSST_THIRD = 2, BSST_FOURTH = 3, BSST_CASH = 4 };

typedef struct bsst_context bsst_context;

/* A combination and what is asked of it. `entries`: how often declarer can reach each hand from outside the suit. `on_lead`: the
 * hand that leads first, 2 where declarer chooses. A lead from the hand that did not win the last trick, or after a
 * trick that the defenders won, costs an entry. `target`: that many tricks or more (1..13), or 0 for the expected number.
 * `first_lead`, `first_third`: BSST_ANY, or the rank that is led first from `first_hand`, and the rank (or BSST_NO_CARD) that
 * the other hand plays where second hand follows with its lowest class. */
typedef struct {
  uint16_t hands[2];
  uint16_t hidden;
  uint8_t entries[2];
  uint8_t on_lead;
  uint8_t target;
  uint8_t first_hand;
  uint8_t first_lead;
  uint8_t first_third;
} bsst_game;

/* The weight of the layouts won, or of tricks times layouts: `lower` is reached by a line, no line passes `upper`. They are
 * equal unless the effort ran out. */
typedef struct {
  uint64_t lower;
  uint64_t upper;
  uint64_t effort; /* combinations of results that were compared */
  uint64_t memory; /* most bytes held at a time */
} bsst_value;

/* One card in a tree of play, in preorder; `parent` is the index of the card before it, -1 for the root's. `kind`: a lead by
 * declarer, second hand's card, third hand's, fourth hand's; or BSST_CASH, where the top cards left are enough. `card` is a rank,
 * BSST_NO_CARD for a discard; of a defender the highest rank of a class. */
typedef struct {
  int32_t parent;
  uint8_t kind;
  uint8_t seat;
  uint8_t card;
} bsst_step;

/* The number of layouts of a game, 0 where the two hands and the hidden cards overlap. */
int32_t bsst_layouts(const bsst_game *game);

/* A context that holds at most about `memory_bytes` (0: 512 MiB), in *out. */
int32_t bsst_create(size_t memory_bytes, bsst_context **out);
void bsst_destroy(bsst_context *context);

/* From now on `ask(argument)` is called now and then while the context works; non-zero stops it with BSDD_CANCELLED. */
void bsst_set_interrupt(bsst_context *context, int32_t (*ask)(void *argument), void *argument);

/* Solves a game for `weights`, one a layout; a layout of weight 0 cannot occur. `effort` bounds the work (0: 10^8): where it or
 * the memory runs out, BSDD_OK with lower < upper. BSDD_NO_MEMORY where not even open cards could be solved. */
int32_t bsst_solve(bsst_context *context, const bsst_game *game, const uint64_t *weights, uint64_t effort, bsst_value *out);

/* The line that the last bsst_solve found: of all lines as good, one whose tree has the fewest cards of declarer's.
 * `won[i]` are the tricks that it guarantees in layout i, or 1 where it reaches the target. Writes at most
 * `room` steps and to *count their whole number. BSDD_BAD_ARGUMENT where nothing was solved. */
int32_t bsst_line(bsst_context *context, bsst_step *steps, int32_t room, int32_t *count, uint8_t won[162]);

/* cffi-end */

#ifdef __cplusplus
}
#endif
#endif
