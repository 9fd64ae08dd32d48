/* The solver against a plain minimax, against tables that others computed, and against inputs that must be refused.
 * usage: test_solver ENDINGS DEALS FREAKS [SEED]: how many random endings, and deals of the two files in tests/data */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../include/bridgespec_dd.h"

#ifndef TEST_MEMORY
#define TEST_MEMORY ((size_t)16 << 20)
#define LEAST_MEMORY ((size_t)4 << 20)
#ifndef __SANITIZE_ADDRESS__
#define PLAYED 3468247 /* other weights of leads may make it more or less */
#endif
#endif

static int failures, checks;

#define CHECK(what, ...)                                                   \
  do {                                                                     \
    checks++;                                                              \
    if (!(what)) {                                                         \
      failures++;                                                          \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #what);           \
      fprintf(stderr, __VA_ARGS__);                                        \
      fprintf(stderr, "\n");                                               \
    }                                                                      \
  } while (0)

static uint64_t state;

static uint32_t rnd(uint32_t below)
{
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (uint32_t)((state >> 11) % below);
}

/* The plain minimax: every legal card, no pruning but a store of positions that are the same to the last card (a
 * subset of the first position's cards and a leader). */
typedef struct {
  int strain, cards, card[24], owner[24]; /* slot and seat of each card of the first position */
} game;

static signed char *store; /* 1 + North-South's tricks, by subset * 4 + leader */
static uint32_t *touched, touched_count;

static int wins(const game *g, int a, int b) /* card a over card b, the winner so far */
{
  if (a / 13 == b / 13) return a < b;
  return g->strain && a / 13 == g->strain - 1;
}

static int minimax(const game *g, uint32_t left, int leader, int count, const int *trick)
{
  if (count == 4) {
    int best = 0;
    for (int k = 1; k < 4; k++)
      if (wins(g, trick[k], trick[best])) best = k;
    int winner = (leader + best) & 3;
    return (winner & 1) + minimax(g, left, winner, 0, trick);
  }
  if (!left) return 0;
  uint32_t key = left * 4 + (uint32_t)leader;
  if (count == 0 && store[key]) return store[key] - 1;
  int seat = (leader + count) & 3, best = -1, must = 0, next[4];
  for (int k = 0; k < count; k++) next[k] = trick[k];
  for (int i = 0; i < g->cards; i++)
    if (left >> i & 1 && g->owner[i] == seat && count && g->card[i] / 13 == trick[0] / 13) must = 1;
  for (int i = 0; i < g->cards; i++) {
    if (!(left >> i & 1) || g->owner[i] != seat || (must && g->card[i] / 13 != trick[0] / 13)) continue;
    next[count] = g->card[i];
    int value = minimax(g, left & ~(1u << i), leader, count + 1, next);
    if (best < 0 || (seat & 1 ? value > best : value < best)) best = value;
  }
  if (count == 0) {
    store[key] = (signed char)(best + 1);
    touched[touched_count++] = key;
  }
  return best;
}

static int plain(const bsdd_position *p)
{
  game g = {.strain = p->strain, .cards = 0};
  uint32_t left = 0;
  int trick[4] = {p->trick[0], p->trick[1], p->trick[2], 0};
  for (int i = 0; i < 52; i++)
    if (p->holder[i] < 4) {
      left |= 1u << g.cards;
      g.owner[g.cards] = p->holder[i];
      g.card[g.cards++] = i;
    }
  int value = minimax(&g, left, p->leader, p->trick_length, trick);
  while (touched_count) store[touched[--touched_count]] = 0;
  return value;
}

/* A random ending with `size` cards a hand and `length` cards in the trick; skew makes long suits. */
static bsdd_position ending(int size, int length, int skew)
{
  bsdd_position p;
  memset(&p, 0, sizeof p);
  memset(p.holder, 4, 52);
  p.strain = (uint8_t)rnd(5), p.leader = (uint8_t)rnd(4);
  int held[4] = {0, 0, 0, 0}, given = 0;
  while (given < 4 * size) {
    int card = (int)rnd(52), seat = (int)rnd(4);
    if (skew && rnd(4)) seat = (card / 13 + (skew > 1 ? card % 2 : 0)) & 3;
    if (skew == 3) card = card / 13 * 13 + (int)rnd(7);
    if (p.holder[card] < 4 || held[seat] == size) {
      if (held[seat] == size && p.holder[card] == 4)
        for (seat = 0; seat < 4 && held[seat] == size; seat++) {}
      else continue;
    }
    p.holder[card] = (uint8_t)seat, held[seat]++, given++;
  }
  for (int k = 0; k < length; k++) {
    int seat = (p.leader + k) & 3, choice[52], n = 0, follow = 0;
    for (int i = 0; i < 52 && k; i++)
      if (p.holder[i] == seat && i / 13 == p.trick[0] / 13) follow = 1;
    for (int i = 0; i < 52; i++)
      if (p.holder[i] == seat && (!follow || i / 13 == p.trick[0] / 13)) choice[n++] = i;
    p.trick[k] = (uint8_t)choice[rnd((uint32_t)n)];
    p.holder[p.trick[k]] = 4;
  }
  p.trick_length = (uint8_t)length;
  return p;
}

static void show(const bsdd_position *p)
{
  static const char ranks[] = "AKQJT98765432", suits[] = "SHDC";
  fprintf(stderr, "strain %d leader %d trick", p->strain, p->leader);
  for (int i = 0; i < p->trick_length; i++) fprintf(stderr, " %c%c", suits[p->trick[i] / 13], ranks[p->trick[i] % 13]);
  for (int seat = 0; seat < 4; seat++) {
    fprintf(stderr, "\n  %c ", "WNES"[seat]);
    for (int i = 0; i < 52; i++) {
      if (i && i % 13 == 0) fputc('.', stderr);
      if (p->holder[i] == seat) fputc(ranks[i % 13], stderr);
    }
  }
  fputc('\n', stderr);
}

/* The position after a card; *won is 1 when North-South win a trick by it. */
static bsdd_position step(bsdd_position p, int card, int *won)
{
  p.holder[card] = 4;
  *won = 0;
  if (p.trick_length < 3) {
    p.trick[p.trick_length++] = (uint8_t)card;
    return p;
  }
  game g = {.strain = p.strain, .cards = 0};
  int all[4] = {p.trick[0], p.trick[1], p.trick[2], card}, best = 0;
  for (int k = 1; k < 4; k++)
    if (wins(&g, all[k], all[best])) best = k;
  p.leader = (uint8_t)((p.leader + best) & 3);
  p.trick_length = 0;
  *won = p.leader & 1;
  return p;
}

static void test_ending(bsdd_context *c, const bsdd_position *p)
{
  int32_t tricks = -1, n = 0, yes = -1, size = 0, seat = (p->leader + p->trick_length) & 3, ours = seat & 1;
  for (int i = 0; i < 52; i++) size += p->holder[i] == seat;
  int truth = plain(p), side = ours ? truth : size - truth, before = failures;
  CHECK(bsdd_solve(c, p, &tricks) == BSDD_OK && tricks == side, "%d for %d", tricks, side);
  for (int target = 0; target <= size + 1; target++) {
    CHECK(bsdd_at_least(c, p, target, &yes) == BSDD_OK && yes == (side >= target), "target %d of %d", target, side);
  }
  bsdd_card all[13], some[13];
  CHECK(bsdd_cards(c, p, BSDD_CARDS_ALL, 0, all, &n) == BSDD_OK && n > 0, "%d cards", n);
  int listed = 0, playable = 0, follow = 0, best = 0, reaching = 0, target = size ? (int)rnd((uint32_t)size + 1) : 0, won;
  for (int i = 0; i < 52; i++)
    if (p->trick_length && p->holder[i] == seat && i / 13 == p->trick[0] / 13) follow = 1;
  for (int i = 0; i < 52; i++)
    if (p->holder[i] == seat && (!follow || i / 13 == p->trick[0] / 13)) playable++;
  for (int i = 0; i < n; i++) {
    best += all[i].tricks == side, reaching += all[i].tricks >= target;
    for (int j = 0; j < 13; j++) {
      if (!(all[i].equals >> j & 1)) continue;
      listed++;
      bsdd_position next = step(*p, all[i].card / 13 * 13 + j, &won);
      int value = won + plain(&next);
      CHECK(all[i].tricks == (ours ? value : size - value), "card %d", all[i].card / 13 * 13 + j);
    }
  }
  CHECK(listed == playable, "%d of %d cards listed", listed, playable);
  CHECK(bsdd_cards(c, p, BSDD_CARDS_BEST, 0, some, &n) == BSDD_OK && n == best, "%d for %d", n, best);
  for (int i = 0; i < n; i++) CHECK(memcmp(&some[i], &all[i], sizeof *some) == 0, "best card %d", i);
  CHECK(bsdd_cards(c, p, BSDD_CARDS_TARGET, target, some, &n) == BSDD_OK && n == reaching, "%d for %d", n, reaching);
  uint8_t line[52], trace[53];
  CHECK(bsdd_best_line(c, p, line, &n, &tricks) == BSDD_OK && tricks == side, "line %d for %d", tricks, side);
  CHECK(bsdd_analyse_play(c, p, line, n, trace, NULL) == BSDD_OK, "line of %d", n);
  for (int i = 0; i <= n; i++) CHECK(trace[i] == truth, "line is not best at %d: %d for %d", i, trace[i], truth);
  /* A random play, followed card by card. */
  bsdd_position at = *p;
  int total = 0, length = 0, values[53];
  values[0] = truth;
  while (length < 52 && bsdd_cards(c, &at, BSDD_CARDS_TARGET, 0, some, &n) == BSDD_OK && n) {
    line[length] = some[rnd((uint32_t)n)].card;
    at = step(at, line[length], &won);
    total += won;
    values[++length] = total + plain(&at);
  }
  CHECK(bsdd_analyse_play(c, p, line, length, trace, NULL) == BSDD_OK, "play of %d", length);
  for (int i = 0; i <= length; i++) CHECK(trace[i] == values[i], "play at %d: %d for %d", i, trace[i], values[i]);
  if (failures > before) show(p);
}

/* "N:AK.. ... ... ..." to 52 bytes, up to a quote or the end; what is not a deal is found out by who solves it. */
static void read_deal(const char *at, uint8_t deal[52])
{
  static const char names[] = "WNES", ranks[] = "AKQJT98765432";
  int seat = (int)strcspn(names, (char[]){*at, 0}) & 3, suit = 0;
  memset(deal, 4, 52);
  for (at += strlen(at) < 2 ? strlen(at) : 2; *at && *at != '"'; at++) {
    size_t rank = strcspn(ranks, (char[]){*at, 0});
    if (*at == '.') suit++;
    else if (*at == ' ') seat = (seat + 1) & 3, suit = 0;
    else if (suit < 4 && rank < 13) deal[suit * 13 + (int)rank] = (uint8_t)seat;
  }
}

/* The first `count` deals of a file, with the tables that it gives. */
static void test_tables(bsdd_context *c, const char *path, int count)
{
  FILE *f = fopen(path, "r");
  CHECK(f != NULL, "%s", path);
  if (!f) return;
  char line[2048];
  uint8_t deal[52] = {0}, cell[20];
  int deals = 0;
  while (deals < count && fgets(line, sizeof line, f)) {
    const char *quote = strchr(line, '"');
    if (quote && !strncmp(line, "PBN ", 4)) read_deal(quote + 1, deal);
    else if (!strncmp(line, "TABLE ", 6)) {
      char *at = line + 6;
      CHECK(bsdd_table(c, deal, 0xfffff, cell) == BSDD_OK, "deal %d", deals);
      for (int s = 1; s <= 5; s++)
        for (int d = 1; d <= 4; d++) {
          long want = strtol(at, &at, 10);
          CHECK(cell[s % 5 * 4 + (d & 3)] == want, "%s, deal %d strain %d declarer %d", path, deals, s % 5, d & 3);
        }
      deals++;
    }
  }
  fclose(f);
  CHECK(deals == count, "%d deals", deals);
}

/* What no search need answer costs none; and a context that is reset knows no more than a new one. */
static void test_no_effort(void)
{
  bsdd_context *c;
  bsdd_stats first, again;
  bsdd_position p = ending(6, 0, 0);
  bsdd_card cards[13];
  int32_t yes, n;
  CHECK(bsdd_create(TEST_MEMORY, &c) == BSDD_OK, "create");
  CHECK(bsdd_at_least(c, &p, 0, &yes) == BSDD_OK && yes, "no tricks");
  CHECK(bsdd_at_least(c, &p, 7, &yes) == BSDD_OK && !yes, "more tricks than there are");
  CHECK(bsdd_cards(c, &p, BSDD_CARDS_TARGET, 7, cards, &n) == BSDD_OK && n == 0, "%d cards take them", n);
  bsdd_get_stats(c, &first);
  CHECK(first.nodes == 0, "%d cards played", (int)first.nodes);
  for (int i = 0; i < 2; i++) {
    bsdd_reset(c);
    bsdd_clear_stats(c);
    for (p.strain = 0; p.strain < 5; p.strain++) CHECK(bsdd_solve(c, &p, &n) == BSDD_OK, "solve");
    bsdd_get_stats(c, i ? &again : &first);
    p.strain = 0;
  }
  CHECK(first.nodes == again.nodes && first.nodes > 0, "%d and %d cards played", (int)first.nodes, (int)again.nodes);
  bsdd_destroy(c);
}

#ifdef PLAYED
/* How many cards the search plays for the first deals of a file, from nothing: what makes it play more is a mistake that no
 * result shows. The count is the same on every machine; a change for the better by more than one in a hundred is to be
 * entered above, or the next mistake would hide in it. */
static void test_effort(const char *path, int count, uint64_t played)
{
  bsdd_context *c;
  bsdd_stats s;
  CHECK(bsdd_create((size_t)64 << 20, &c) == BSDD_OK, "create");
  test_tables(c, path, count);
  bsdd_get_stats(c, &s);
  CHECK(s.nodes <= played + played / 100 && s.nodes >= played - played / 100, "%s: %d cards played", path, (int)s.nodes);
  CHECK(s.hits <= s.lookups && s.searches > 0 && s.adds > 0, "%d of %d", (int)s.hits, (int)s.lookups);
  bsdd_destroy(c);
}
#endif

static void test_refusals(bsdd_context *c)
{
  bsdd_position good = ending(5, 2, 0), p;
  bsdd_problem fault;
  int32_t n, tricks;
  while (good.trick[0] / 13 == good.trick[1] / 13) good = ending(5, 2, 0);
  int second = (good.leader + 1) & 3, led = good.trick[0] / 13;
  CHECK(bsdd_check(&good, &fault) == BSDD_OK && fault.status == BSDD_OK, "%d", fault.status);
#define REFUSED(code, change, seat_is, card_is)                                                                 \
  do {                                                                                                          \
    p = good;                                                                                                   \
    change;                                                                                                     \
    CHECK(bsdd_check(&p, &fault) == code && fault.status == code, "%d", fault.status);                          \
    CHECK(fault.seat == (seat_is) && fault.card == (card_is), "seat %d card %d", fault.seat, fault.card);       \
    CHECK(bsdd_solve(c, &p, &tricks) == code, "solve");                                                         \
  } while (0)
  REFUSED(BSDD_BAD_HOLDER, p.holder[7] = 5, -1, 7);
  REFUSED(BSDD_BAD_STRAIN, p.strain = 5, -1, -1);
  REFUSED(BSDD_BAD_LEADER, p.leader = 4, 4, -1);
  REFUSED(BSDD_BAD_TRICK_LENGTH, p.trick_length = 4, -1, -1);
  REFUSED(BSDD_BAD_TRICK_CARD, p.trick[1] = 52, second, 52);
  REFUSED(BSDD_CARD_TWICE, p.trick[1] = p.trick[0], second, p.trick[0]);
  REFUSED(BSDD_TRICK_CARD_HELD, p.holder[p.trick[0]] = 2, 2, p.trick[0]);
  int spare = 0;
  while (good.holder[spare] != 4 || spare == good.trick[0] || spare == good.trick[1] || spare / 13 == led) spare++;
  REFUSED(BSDD_HAND_SIZE, p.holder[spare] = p.leader, p.leader, -1);
  int swap = 0, other = led * 13;
  while (good.holder[swap] != second) swap++;
  while (good.holder[other] != 4 || other == good.trick[0]) other++;
  REFUSED(BSDD_REVOKE, (p.holder[swap] = 4, p.holder[other] = (uint8_t)second), second, p.trick[1]);
  uint8_t deal[52], table[20], trace[60], cards[3] = {60, 0, 0};
  for (int i = 0; i < 52; i++) deal[i] = (uint8_t)(i % 4);
  deal[3] = 2;
  CHECK(bsdd_check_deal(deal, &fault) == BSDD_HAND_SIZE && fault.seat == 2, "%d", fault.seat);
  CHECK(bsdd_table(c, deal, 0xfffff, table) == BSDD_HAND_SIZE && table[0] == BSDD_UNSOLVED, "table");
  CHECK(bsdd_table(c, deal, 0x100000, table) == BSDD_BAD_ARGUMENT, "mask");
  CHECK(bsdd_solve(NULL, &good, &tricks) == BSDD_BAD_ARGUMENT, "null");
  CHECK(bsdd_analyse_play(c, &good, cards, 1, trace, &fault) == BSDD_PLAY_CARD && fault.index == 0, "play card");
  cards[0] = good.trick[0];
  CHECK(bsdd_analyse_play(c, &good, cards, 1, trace, &fault) == BSDD_PLAY_NOT_HELD && fault.card == cards[0], "held");
  memset(&p, 0, sizeof p);
  memset(p.holder, 4, 52);
  CHECK(bsdd_solve(c, &p, &tricks) == BSDD_OK && tricks == 0, "empty");
  CHECK(bsdd_cards(c, &p, BSDD_CARDS_ALL, 0, NULL, &n) == BSDD_BAD_ARGUMENT, "null cards");
  bsdd_card some[13];
  CHECK(bsdd_cards(c, &p, BSDD_CARDS_ALL - 1, 0, some, &n) == BSDD_BAD_ARGUMENT, "no mode");
  CHECK(bsdd_cards(c, &p, BSDD_CARDS_TARGET + 1, 0, some, &n) == BSDD_BAD_ARGUMENT, "no mode");
  CHECK(bsdd_cards(c, &p, BSDD_CARDS_TARGET, -1, some, &n) == BSDD_BAD_ARGUMENT, "no target");
  CHECK(bsdd_cards(c, &p, BSDD_CARDS_TARGET, 14, some, &n) == BSDD_BAD_ARGUMENT, "no target");
  CHECK(bsdd_analyse_play(c, &p, cards, 1, trace, &fault) == BSDD_PLAY_TOO_LONG && fault.index == 0, "too long");
  CHECK(fault.seat == -1 && fault.card == -1, "nobody is on turn");
  p.holder[0] = 0, p.holder[1] = 1, p.holder[2] = 2, p.holder[3] = 3;
  p.holder[13] = 0, p.holder[14] = 1, p.holder[15] = 2, p.holder[16] = 3;
  cards[0] = 0, cards[1] = 14;
  CHECK(bsdd_analyse_play(c, &p, cards, 2, trace, &fault) == BSDD_PLAY_REVOKE && fault.index == 1 && fault.seat == 1,
        "revoke");
  for (int i = -1; i < 30; i++) CHECK(bsdd_status_text(i) != NULL, "text");
  CHECK(bsdd_analyse_play(c, &p, cards, -1, trace, NULL) == BSDD_BAD_ARGUMENT, "fewer than none");
  CHECK(bsdd_analyse_play(c, &p, cards, 1, NULL, NULL) == BSDD_BAD_ARGUMENT, "null tricks");
  CHECK(bsdd_analyse_play(c, &p, NULL, 1, trace, NULL) == BSDD_BAD_ARGUMENT, "null play");
  CHECK(bsdd_analyse_play(c, &p, NULL, 0, trace, NULL) == BSDD_OK && trace[0] <= 2, "no play");
}

/* A small context and a large one agree; a cancelled search says so and leaves a usable context. */
static void test_memory_and_cancel(void)
{
  bsdd_context *small, *large;
  CHECK(bsdd_create(1, &small) == BSDD_OK && bsdd_create(0, &large) == BSDD_OK, "create");
  uint8_t deals[3 * 52], a[60], b[60], statuses[3];
  size_t done;
  for (int d = 0; d < 3; d++) {
    bsdd_position p = ending(13, 0, d);
    memcpy(deals + 52 * d, p.holder, 52);
  }
  deals[52] ^= 1; /* one hand too long */
  int32_t x = bsdd_batch(small, deals, 3, 0xfffff, a, statuses, &done), y = bsdd_batch(large, deals, 3, 0xfffff, b, NULL, NULL);
  CHECK(x == BSDD_HAND_SIZE && y == x && done == 3, "%d %d %d", x, y, (int)done);
  CHECK(statuses[0] == 0 && statuses[1] == BSDD_HAND_SIZE && statuses[2] == 0, "statuses");
  CHECK(memcmp(a, b, 60) == 0, "the same tables with little memory");
  bsdd_stats s;
  bsdd_get_stats(small, &s);
  CHECK(s.memory <= s.memory_limit && s.memory_limit == LEAST_MEMORY, "memory %d", (int)s.memory);
  volatile int flag = 1;
  bsdd_set_cancel(large, &flag);
  x = bsdd_batch(large, deals, 3, 0xfffff, b, statuses, &done);
  CHECK(x == BSDD_CANCELLED && done == 0 && statuses[2] == BSDD_CANCELLED && b[59] == BSDD_UNSOLVED, "cancel");
  x = bsdd_table(large, deals, 0xfffff, b);
  CHECK(x == BSDD_CANCELLED, "cancelled inside");
  flag = 0;
  CHECK(bsdd_table(large, deals, 0xfffff, b) == BSDD_OK && memcmp(a, b, 20) == 0, "after a cancel");
  CHECK(bsdd_table(large, deals, 0x21, b) == BSDD_OK && b[0] == a[0] && b[5] == a[5] && b[1] == BSDD_UNSOLVED, "cells");
  bsdd_reset(large);
  CHECK(bsdd_table(large, deals, 0xfffff, b) == BSDD_OK && memcmp(a, b, 20) == 0, "after a reset");
  bsdd_destroy(small), bsdd_destroy(large), bsdd_destroy(NULL);
}

typedef struct {
  bsdd_context *context;
  uint64_t before, most; /* cards played at the last question, and between two */
  int asked, stop_at;
} questions;

static int32_t ask(void *argument)
{
  questions *q = argument;
  bsdd_stats s;
  bsdd_get_stats(q->context, &s);
  if (s.nodes - q->before > q->most) q->most = s.nodes - q->before;
  q->before = s.nodes;
  return ++q->asked == q->stop_at;
}

/* Every question asks at even steps whether to go on, and stops when told; a small one never asks. */
static void test_interrupt(void)
{
  bsdd_context *c;
  bsdd_position p = {.strain = 0, .leader = 1};
  bsdd_card cards[13];
  uint8_t tricks[1], line[52], table[20];
  int32_t n;
  CHECK(bsdd_create(0, &c) == BSDD_OK, "create");
  questions q = {c, 0, 0, 0, 5};
  bsdd_set_interrupt(c, ask, &q);
  bsdd_position small = ending(3, 0, 0);
  for (int i = 0; i < 20; i++) CHECK(bsdd_solve(c, &small, &n) == BSDD_OK && q.asked == 0, "asked for a small ending");
  read_deal("N:AQT8642.KJ9753.. .AQT8642.KJ9753. ..AQT8642.KJ9753 KJ9753...AQT8642", p.holder);
#define STOPS(call)                                                    \
  do {                                                                 \
    bsdd_reset(c), bsdd_clear_stats(c);                                \
    q.asked = 0, q.before = 0;                                         \
    CHECK((call) == BSDD_CANCELLED && q.asked == 5, "%d", q.asked);    \
  } while (0)
  STOPS(bsdd_solve(c, &p, &n));
  STOPS(bsdd_cards(c, &p, BSDD_CARDS_ALL, 0, cards, &n));
  STOPS(bsdd_table(c, p.holder, 0xfffff, table));
  STOPS(bsdd_analyse_play(c, &p, line, 0, tricks, NULL));
  STOPS(bsdd_best_line(c, &p, line, &n, &n));
  CHECK(q.most < 2000000, "%d cards between two questions: at 50 ns each a tenth of a second", (int)q.most);
  bsdd_set_interrupt(c, NULL, NULL);
  CHECK(bsdd_solve(c, &small, &n) == BSDD_OK && q.asked == 5, "no longer asked");
  bsdd_destroy(c);
}

int main(int argc, char **argv)
{
  if (argc < 4) return fprintf(stderr, "usage: test_solver ENDINGS DEALS FREAKS [SEED]\n"), 2;
  int endings = atoi(argv[1]), deals = atoi(argv[2]), freaks = atoi(argv[3]);
  state = argc > 4 ? strtoull(argv[4], NULL, 10) * 2 + 1 : 88172645463325252u;
  store = calloc((size_t)1 << 26, 1), touched = malloc(sizeof *touched << 26);
  bsdd_context *c;
  if (!store || !touched || bsdd_create(TEST_MEMORY, &c)) return fprintf(stderr, "no memory\n"), 2;
  test_refusals(c);
  for (int i = 0; i < endings && failures < 20; i++) {
    int size = 1 + (int)rnd(i % 8 ? 5 : 6);
    bsdd_position p = ending(size, (int)rnd(4), (int)rnd(4));
    test_ending(c, &p);
  }
  test_memory_and_cancel();
  test_interrupt();
  test_no_effort();
#ifdef PLAYED
  test_effort("tests/data/list100.txt", 3, PLAYED);
#endif
  if (deals) test_tables(c, "tests/data/list100.txt", deals);
  if (freaks) test_tables(c, "tests/data/freaks.txt", freaks);
  bsdd_destroy(c);
  free(store), free(touched);
  printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
