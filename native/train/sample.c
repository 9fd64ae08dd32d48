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

enum { OWNERS = 0, LENGTH = 768, RUFF = LENGTH + 60, NEED = RUFF + 8, TRUMPS = NEED + 36, NONE = TRUMPS + 50 };

static u64 state = 88172645463325252u;
static u32 one_in, position, positions;
static int inside; /* a sample: the searches in it are not sampled */

static u32 rnd(u32 below)
{
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (u32)((state >> 11) % below);
}

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

static void shuffle(uint8_t *of, int count)
{
  for (int i = 0; i < count; i++) {
    int at = (int)rnd((u32)i + 1);
    uint8_t moved = of[i];
    of[i] = of[at];
    of[at] = moved;
  }
}

/* Every hand prefers some suits, by up to 64 to 1: the suit that comes first for it weighs `strength` times the next. */
static void skewed_deal(uint8_t deal[52])
{
  uint8_t cards[52], order[4][4], left[4] = {13, 13, 13, 13};
  u32 strength = 2u << rnd(2), weight[4];
  for (int i = 0; i < 52; i++) cards[i] = (uint8_t)i;
  for (int seat = 0; seat < 4; seat++) {
    for (int i = 0; i < 4; i++) order[seat][i] = (uint8_t)i;
    shuffle(order[seat], 4);
  }
  shuffle(cards, 52);
  for (int i = 0; i < 52; i++) {
    u32 sum = 0;
    for (int seat = 0; seat < 4; seat++) {
      weight[seat] = left[seat] > 0;
      for (int k = 0; order[seat][k] != cards[i] / 13; k++) weight[seat] *= strength;
      sum += weight[seat];
    }
    u32 chosen = rnd(sum);
    int seat = 0;
    while (chosen >= weight[seat]) chosen -= weight[seat++];
    deal[cards[i]] = (uint8_t)seat;
    left[seat]--;
  }
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
