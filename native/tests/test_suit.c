/* Suit combinations: arithmetic that needs no search, that a line's result is its value, and hostile arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../include/bridgespec_dd.h"
#include "../include/bridgespec_suit.h"

static int failures;

#define CHECK(what)                                                  \
  do {                                                               \
    if (!(what)) {                                                   \
      failures++;                                                    \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);     \
    }                                                                \
  } while (0)

static bsst_context *context;

static uint16_t ranks(const char *text)
{
  static const char letters[] = "AKQJT98765432";
  uint16_t set = 0;
  for (; *text; text++) set |= (uint16_t)(1 << (strchr(letters, *text) - letters));
  return set;
}

static bsst_game game_of(const char *north, const char *south, int target)
{
  bsst_game g = {{ranks(north), ranks(south)}, 0, {BSST_ANY, BSST_ANY}, 2, (uint8_t)target, 0, BSST_ANY, BSST_ANY};
  g.hidden = (uint16_t)(0x1FFF & ~(g.hands[0] | g.hands[1]));
  return g;
}

/* Every deal of the hidden cards weighs the same: the number of ways in which a layout can be. Returns the sum. */
static uint64_t plain_weights(const bsst_game *g, uint64_t weights[BSST_LAYOUTS])
{
  uint64_t all = 1;
  int open = 0, count = 1, sizes[7], classes = 0;
  for (int rank = 0; rank < 13; rank++) {
    int ours = (g->hands[0] | g->hands[1]) >> rank & 1;
    if (ours) open = 0;
    if (!(g->hidden >> rank & 1)) continue;
    if (!open) sizes[classes++] = 0;
    sizes[classes - 1]++, open = 1, all *= 2;
  }
  for (int i = 0; i < classes; i++) count *= sizes[i] + 1;
  for (int layout = 0; layout < count; layout++) {
    weights[layout] = 1;
    for (int i = 0, rest = layout; i < classes; i++) {
      int held = rest % (sizes[i] + 1);
      rest /= sizes[i] + 1;
      for (int k = 0; k < held; k++) weights[layout] = weights[layout] * (uint64_t)(sizes[i] - k) / (uint64_t)(k + 1);
    }
  }
  CHECK(bsst_layouts(g) == count);
  return all;
}

/* The value in 1/1024 of all deals of the hidden cards; the line's result must be the same. */
static uint64_t value(const bsst_game *g, uint64_t effort)
{
  uint64_t weights[BSST_LAYOUTS] = {0}, all = plain_weights(g, weights), line = 0;
  bsst_value v;
  bsst_step steps[8];
  uint8_t won[BSST_LAYOUTS];
  int32_t count, again;
  CHECK(bsst_solve(context, g, weights, effort, &v) == BSDD_OK);
  CHECK(v.lower <= v.upper && (effort || v.lower == v.upper));
  CHECK(bsst_line(context, NULL, 0, &count, won) == BSDD_OK);
  CHECK(bsst_line(context, steps, 8, &again, won) == BSDD_OK && again == count);
  for (int i = 0; i < bsst_layouts(g); i++) line += weights[i] * won[i];
  CHECK(line == v.lower);
  return v.lower * 1024 / all;
}

static void known(void)
{
  static const struct { const char *north, *south; int target; uint64_t value; } cases[] = {
    {"AQ", "32", 2, 512}, {"AJT", "432", 2, 768}, {"KJ4", "532", 1, 768}, {"AKQ", "432", 3, 1024}, {"AQ", "32", 3, 0},
    {"32", "AQ", 0, 1536}, {"AKQJT98765432", "", 13, 1024}, {"A", "K", 1, 1024}, {"", "32", 1, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bsst_game g = game_of(cases[i].north, cases[i].south, cases[i].target);
    CHECK(value(&g, 0) == cases[i].value);
  }
}

/* More effort never lowers a bound, and the two hands can be exchanged. */
static void random_games(int count)
{
  for (int i = 0; i < count; i++) {
    bsst_game g = game_of("A", "", 0), turned;
    g.hands[0] = (uint16_t)(rand() & 0x1FFF), g.hands[1] = (uint16_t)(rand() & 0x1FFF & ~g.hands[0]);
    g.hidden = (uint16_t)(0x1FFF & ~(g.hands[0] | g.hands[1]) & (rand() | rand()));
    g.target = (uint8_t)(rand() % 4);
    if (!g.hands[0] || !g.hands[1]) continue;
    if (rand() % 3 == 0) g.entries[0] = (uint8_t)(rand() % 3), g.entries[1] = (uint8_t)(rand() % 3);
    turned = g;
    turned.hands[0] = g.hands[1], turned.hands[1] = g.hands[0];
    turned.entries[0] = g.entries[1], turned.entries[1] = g.entries[0];
    uint64_t exact = value(&g, 0);
    CHECK(value(&g, 50) <= exact);
    CHECK(value(&turned, 0) == exact);
  }
}

static int32_t stop(void *argument)
{
  (void)argument;
  return 1;
}

static void refused(void)
{
  uint64_t weights[BSST_LAYOUTS] = {0};
  uint8_t won[BSST_LAYOUTS];
  int32_t count;
  bsst_value v;
  bsst_game good = game_of("AQ", "32", 2), g = good;
  CHECK(bsst_line(context, NULL, 0, NULL, won) == BSDD_BAD_ARGUMENT);
  CHECK(bsst_solve(context, NULL, weights, 0, &v) == BSDD_BAD_ARGUMENT);
  g.hands[1] = g.hands[0];
  CHECK(bsst_layouts(&g) == 0 && bsst_solve(context, &g, weights, 0, &v) == BSDD_BAD_ARGUMENT);
  g = good, g.on_lead = 3;
  CHECK(bsst_solve(context, &g, weights, 0, &v) == BSDD_BAD_ARGUMENT);
  g = good, g.entries[0] = 14;
  CHECK(bsst_solve(context, &g, weights, 0, &v) == BSDD_BAD_ARGUMENT);
  g = good, g.first_lead = 1;
  CHECK(bsst_solve(context, &g, weights, 0, &v) == BSDD_BAD_ARGUMENT);
  bsst_context *small;
  CHECK(bsst_create(1, &small) == BSDD_OK);
  plain_weights(&good, weights);
  CHECK(bsst_solve(small, &good, weights, 0, &v) == BSDD_NO_MEMORY);
  CHECK(bsst_line(small, NULL, 0, &count, won) == BSDD_BAD_ARGUMENT);
  bsst_destroy(small);
  CHECK(bsst_create(0, &small) == BSDD_OK);
  bsst_set_interrupt(small, stop, NULL);
  g = game_of("KJ97", "53", 2);
  plain_weights(&g, weights);
  CHECK(bsst_solve(small, &g, weights, 0, &v) == BSDD_CANCELLED);
  bsst_destroy(small);
}

int main(int argc, char **argv)
{
  CHECK(bsst_create(0, &context) == BSDD_OK);
  known();
  random_games(argc > 1 ? atoi(argv[1]) : 100);
  refused();
  bsst_destroy(context);
  printf("suit combinations: %d failures\n", failures);
  return failures != 0;
}
