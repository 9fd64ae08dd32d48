/* Samples leads, for fit.py: sample POSITIONS SEED ONE_IN SKEWED > leads. Random deals are solved in all strains, and one in
 * SKEWED of them has hands that prefer some suits (0: none has). Of the positions in which a lead is to be chosen without a
 * remembered card, one in ONE_IN is taken, and there every card is searched to its end, in random order since each search helps the next. Each card is ten 32-bit numbers: its position, the cards played
 * until it was seen to work (0: it does not), and its eight weights as places in the file of weights. */
#include <stdio.h>
#include <stdlib.h>

#include "../src/internal.h"

static void sample_lead(bsdd_context *c, void *t, u64 left, int suit_contract);
#define SAMPLE_LEAD sample_lead

#include "../src/search_generic.c"
#include "deals.h"

static u32 one_in, position, positions;
static int inside; /* a sample: the searches in it are not sampled */

static void put_card(bsdd_context *c, trick *t, u64 card, const u64 *hand, u64 left, int suit_contract)
{
  u64 suit = lane_of_index(LOW(card)), lo = hand[1] | hand[3], hi = hand[2] | hand[3];
  int lane = LOW(card) >> 4, before = COUNT(t->all & (((u64)1 << (16 * lane)) - 1));
  PACKER(t->all);
  lead_suit s = judge_suit(hand, lane, COUNT(t->all & suit), PACK(lo, t->all) >> before, PACK(hi, t->all) >> before, suit_contract);
  int place = place_of(left & suit & (0 - card), left & suit);
  u64 nodes = c->nodes;
  result r = suit_contract ? play(c, t, card, t->leader, 0, 0, 0, t->key, 0, 1) : play(c, t, card, t->leader, 0, 0, 0, t->key, 0, 0);
  int32_t row[10] = {(int32_t)position, r.value >= t->need ? (int32_t)(c->nodes - nodes) : 0,
                     OWNERS + (s.kind * 64 + s.owners) * 4 + place};
  for (int k = 0; k < 4; k++) row[3 + k] = LENGTH + (k * 3 + s.kind) * 5 + s.length[k];
  row[7] = RUFF + s.ruff;
  row[8] = NEED + (s.kind * 3 + judge_need(t)) * 4 + place;
  row[9] = suit_contract ? TRUMPS + (s.kind == 2) * 25 + judge_trumps(hand) : NONE;
  if (fwrite(row, sizeof row, 1, stdout) != 1) exit(1);
}

static void sample_lead(bsdd_context *c, void *search, u64 left, int suit_contract)
{
  trick *t = search;
  if (inside || !(left & (left - 1)) || rnd(one_in) || position == positions) return;
  inside = 1;
  position++;
  u64 hand[4], card[13];
  for (int k = 0; k < 4; k++) hand[k] = c->hand[(t->leader + k) & 3];
  int n = 0;
  for (u64 x = left; x; x &= x - 1) {
    int at = (int)rnd((u32)++n);
    card[n - 1] = card[at];
    card[at] = x & (0 - x);
  }
  for (int i = 0; i < n; i++) put_card(c, t, card[i], hand, left, suit_contract);
  inside = 0;
}

int main(int argc, char **argv)
{
  if (argc != 5) return fprintf(stderr, "usage: sample POSITIONS SEED ONE_IN SKEWED > leads\n"), 2;
  u32 skewed = (u32)atoi(argv[4]);
  positions = (u32)atoi(argv[1]);
  state += strtoull(argv[2], NULL, 10) * 0x9e3779b97f4a7c15u;
  one_in = (u32)atoi(argv[3]);
  bsdd_context *c;
  if (bsdd_create(0, &c)) return 1;
  for (u32 made = 1; position < positions; made++) {
    uint8_t deal[52], table[20];
    for (int i = 0; i < 52; i++) deal[i] = (uint8_t)(i & 3);
    if (skewed && made % skewed == 0) skewed_deal(deal);
    else shuffle(deal, 52);
    if (bsdd_table(c, deal, 0xfffff, table)) return 1;
  }
  bsdd_destroy(c);
  return fflush(stdout) != 0;
}
