/* The library's interface, fuzzed: any bytes make a position, a play and a choice of calls. Nothing may be read or written where
 * it should not be; what is refused is refused by every call; and the answers must agree with each other. One context lives
 * from input to input, as a program keeps it; one with little memory and without BMI2 answers beside it. */
#include <stdlib.h>
#include <string.h>

#include "../include/bridgespec_dd.h"

#define HOLDS(what) do { if (!(what)) abort(); } while (0)

static bsdd_context *large, *small;

static int32_t enough(void *asked) { return ++*(int *)asked > 3; }

typedef struct {
  const uint8_t *at, *end;
} bytes;

static uint8_t next(bytes *from) { return from->at < from->end ? *from->at++ : 0; }

/* A small ending of different cards, legal but for revokes; or, one time in four, whatever the bytes say. */
static bsdd_position position_of(bytes *from)
{
  bsdd_position p = {.strain = 0};
  uint8_t kind = next(from);
  p.strain = next(from) % 5, p.leader = next(from) & 3, p.trick_length = next(from) & 3;
  if (kind % 4 == 0) {
    p.strain += kind >> 6, p.leader += kind >> 5 & 1, p.trick_length += kind >> 5 & 1;
    for (int i = 0; i < 52; i++) p.holder[i] = next(from) % (kind & 16 ? 6 : 5);
    for (int i = 0; i < 3; i++) p.trick[i] = next(from);
    return p;
  }
  static const int sizes[16] = {1, 2, 2, 3, 3, 3, 2, 1, 2, 3, 4, 1, 2, 3, 4, 5}; /* small ones are quick, and as odd */
  int size = sizes[kind >> 2 & 15];
  uint8_t taken[52] = {0};
  memset(p.holder, 4, 52);
  for (int i = 0; i < 4 * size; i++) {
    int card = next(from) % 52, seat = (p.leader + i) & 3;
    while (taken[card]) card = (card + 1) % 52;
    taken[card] = 1;
    if (i < p.trick_length) p.trick[i] = (uint8_t)card;
    else p.holder[card] = (uint8_t)seat;
  }
  return p;
}

static void answers(const bsdd_position *p, uint8_t choice, bytes *from)
{
  int32_t tricks = -1, again = -1, yes = -1, count = -1, length = -1;
  bsdd_problem fault, play;
  int32_t status = bsdd_check(p, &fault);
  HOLDS(status == fault.status && bsdd_status_text(status));
  HOLDS(bsdd_solve(large, p, &tricks) == status && bsdd_solve(small, p, &again) == status);
  HOLDS(tricks == again && (status ? tricks == -1 : tricks >= 0 && tricks <= 13));
  uint8_t line[52], worth[53], other[60];
  bsdd_card cards[13], best[13];
  int32_t target = choice % 15;
  HOLDS(bsdd_at_least(large, p, target, &yes) == status);
  HOLDS(bsdd_cards(small, p, BSDD_CARDS_ALL, 0, cards, &count) == status);
  HOLDS(bsdd_best_line(small, p, line, &length, &again) == status);
  int given = choice % 53;
  for (int i = 0; i < given; i++) other[i] = next(from);
  int32_t played = bsdd_analyse_play(large, p, other, given, worth, &play);
  HOLDS(play.status == played);
  if (status) {
    HOLDS(played == status && yes == -1 && count == -1 && length == -1);
    return;
  }
  HOLDS(played == BSDD_OK || (played >= BSDD_PLAY_CARD && play.index >= 0 && play.index < given));
  HOLDS(again == tricks && yes == (tricks >= target));
  if (count) {
    HOLDS(cards[0].tricks == tricks);
    for (int i = 0; i < count; i++) HOLDS(cards[i].equals >> cards[i].card % 13 & 1);
    for (int i = 1; i < count; i++) HOLDS(cards[i].tricks <= cards[i - 1].tricks);
    HOLDS(bsdd_cards(large, p, BSDD_CARDS_BEST, 0, best, &again) == BSDD_OK && again > 0 && again <= count);
    HOLDS(memcmp(best, cards, (size_t)again * sizeof *best) == 0);
  }
  HOLDS(bsdd_analyse_play(small, p, line, length, worth, NULL) == BSDD_OK);
  for (int i = 1; i <= length; i++) HOLDS(worth[i] == worth[0]);
}

static void tables(const bsdd_position *p, uint32_t cells)
{
  uint8_t deals[104], one[40], two[40], statuses[2];
  size_t done = 9;
  memcpy(deals, p->holder, 52), memcpy(deals + 52, p->holder, 52);
  deals[cells % 104] ^= cells & 1;
  int32_t first = bsdd_batch(large, deals, 2, cells, one, statuses, &done);
  HOLDS(first == BSDD_BAD_ARGUMENT || done == 2);
  if (first == BSDD_BAD_ARGUMENT) return;
  for (int i = 0; i < 2; i++) {
    HOLDS(bsdd_table(small, deals + 52 * i, cells, two + 20 * i) == statuses[i]);
    HOLDS(bsdd_check_deal(deals + 52 * i, NULL) == statuses[i]);
    for (int j = 0; j < 20; j++) HOLDS((statuses[i] || !(cells >> j & 1)) == (two[20 * i + j] == BSDD_UNSOLVED));
  }
  HOLDS(memcmp(one, two, 40) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!large) {
    HOLDS(bsdd_create(0, &large) == BSDD_OK && bsdd_create(1, &small) == BSDD_OK);
    bsdd_set_features(small, 0);
  }
  bytes from = {data, data + size};
  uint8_t choice = next(&from), way = next(&from);
  uint32_t cells = next(&from) | (uint32_t)next(&from) << 8 | (uint32_t)(next(&from) & 31) << 16;
  bsdd_position p = position_of(&from);
  volatile int flag = way % 16 == 1;
  int asked = 0;
  if (way % 16 == 1) {
    uint8_t table[20];
    bsdd_set_cancel(large, &flag);
    int32_t status = bsdd_table(large, p.holder, cells & 0xfffff, table);
    HOLDS(status != BSDD_OK || (cells & 0xfffff) == 0 || table[0] == BSDD_UNSOLVED || table[0] <= 13);
    bsdd_set_cancel(large, NULL);
  }
  if (way % 16 == 2) bsdd_reset(large);
  if (way % 16 == 3) bsdd_set_interrupt(large, enough, &asked);
  answers(&p, choice, &from);
  if (way & 16) tables(&p, cells);
  bsdd_set_interrupt(large, NULL, NULL);
  return 0;
}
