/* Contexts, tables of deals, and the questions that can be asked of a position. */
#include <stdlib.h>

#include "internal.h"

#define DEFAULT_MEMORY ((size_t)256 << 20)

const char *bsdd_version(void) { return "0.1.0"; }

uint32_t bsdd_features(void) { return have_bmi2() ? BSDD_BMI2 : 0; }

/* Empties the hints and has 1 << bits of them; 0 where there are none and no memory either. Where there is no memory for more than
 * before, fewer do: they only order cards. A context that sees small endings alone never takes, nor clears, what a deal needs. */
static int use_hints(bsdd_context *c, int bits)
{
  u32 *more = bits > c->hint_room ? calloc((size_t)1 << bits, sizeof(u32)) : NULL;
  if (more) {
    free(c->hints);
    c->hints = more;
    c->hint_room = bits;
  } else if (c->hints) memset(c->hints, 0, sizeof(u32) << c->hint_bits);
  c->hint_bits = bits < c->hint_room ? bits : c->hint_room;
  return c->hints != NULL;
}

int32_t bsdd_create(size_t memory_bytes, bsdd_context **out)
{
  if (!out) return BSDD_BAD_ARGUMENT;
  *out = NULL;
  bsdd_context *c = calloc(1, sizeof *c);
  if (!c) return BSDD_NO_MEMORY;
  c->limit = memory_bytes ? memory_bytes : DEFAULT_MEMORY;
  if (c->limit < LEAST_MEMORY) c->limit = LEAST_MEMORY;
  c->use_bmi2 = have_bmi2();
  c->learnt_strain = -1;
  size_t own = sizeof *c + (sizeof(u32) << HINT_BITS);
  if (!use_hints(c, HINT_BITS_OF(0)) || !table_open(&c->table, c->limit - own)) {
    bsdd_destroy(c);
    return BSDD_NO_MEMORY;
  }
  *out = c;
  return BSDD_OK;
}

void bsdd_destroy(bsdd_context *c)
{
  if (!c) return;
  table_close(&c->table);
  free(c->hints);
  free(c);
}

void bsdd_reset(bsdd_context *c)
{
  if (!c) return;
  table_trim(&c->table);
  memset(c->hints, 0, sizeof(u32) << c->hint_bits);
  c->learnt_strain = -1;
}

void bsdd_set_features(bsdd_context *c, uint32_t features)
{
  if (c) c->use_bmi2 = (features & BSDD_BMI2) && have_bmi2();
}

#ifndef __wasm__
void bsdd_set_cancel(bsdd_context *c, const volatile int *flag)
{
  if (c) c->cancel = flag;
}

void bsdd_set_interrupt(bsdd_context *c, int32_t (*ask)(void *), void *argument)
{
  if (c) c->ask = ask, c->ask_argument = argument;
}

int must_stop(const bsdd_context *c)
{
#if defined(__GNUC__) || defined(__clang__)
  if (c->cancel && __atomic_load_n(c->cancel, __ATOMIC_RELAXED)) return 1;
#else
  if (c->cancel && *c->cancel) return 1;
#endif
  return c->ask && c->leads % ASK_LEADS == 0 && c->ask(c->ask_argument);
}
#endif

void bsdd_get_stats(const bsdd_context *c, bsdd_stats *out)
{
  if (!c || !out) return;
  *out = (bsdd_stats){c->nodes, c->lookups, c->hits, c->adds, c->wipes, c->searches,
                      sizeof *c + (sizeof(u32) << HINT_BITS) + table_memory(&c->table), c->limit};
}

void bsdd_clear_stats(bsdd_context *c)
{
  if (c) c->nodes = c->lookups = c->hits = c->adds = c->wipes = c->searches = c->nodes_before = 0;
}

/* A slot's bit: trumps are moved to lane 0, the suit that stood there to the trumps' lane. */
static u64 bit_of(int slot, int strain)
{
  int suit = slot / 13, trumps = strain ? strain - 1 : 0;
  int lane = suit == trumps ? 0 : suit == 0 ? trumps : suit;
  return BIT(lane * 16 + slot % 13);
}

static int slot_of(u64 bit, int strain)
{
  int i = LOW(bit), lane = i >> 4, trumps = strain ? strain - 1 : 0;
  int suit = lane == 0 ? trumps : lane == trumps ? 0 : lane;
  return suit * 13 + (i & 15);
}

/* Puts a checked position into the context. What was learnt stays where it can help: the table is true for every
 * deal, but is full of patterns that only an ending of the same deal meets. */
static void set_up(bsdd_context *c, const bsdd_position *p, problem *out)
{
  u64 hand[4] = {0, 0, 0, 0};
  int on_turn = (p->leader + p->trick_length) & 3;
  for (int i = 0; i < 52; i++)
    if (p->holder[i] < 4) hand[p->holder[i]] |= bit_of(i, p->strain);
  *out = (problem){p->leader, COUNT(hand[on_turn]), 0, p->trick_length, {0, 0, 0}};
  int same = c->learnt_strain == p->strain;
  for (int i = 0; i < p->trick_length; i++) {
    out->card[i] = bit_of(p->trick[i], p->strain);
    if (!(out->card[i] & c->learnt_hand[(p->leader + i) & 3])) same = 0;
  }
  for (int seat = 0; seat < 4; seat++)
    if (hand[seat] & ~c->learnt_hand[seat]) same = 0;
  memcpy(c->hand, hand, sizeof hand);
  c->suit_contract = p->strain != 0;
  if (same) return;
  table_wipe(&c->table);
  use_hints(c, HINT_BITS_OF(out->n));
  memcpy(c->learnt_hand, hand, sizeof hand);
  for (int i = 0; i < p->trick_length; i++) c->learnt_hand[(p->leader + i) & 3] |= out->card[i];
  c->learnt_strain = p->strain;
  c->nodes_before = c->nodes;
  c->merge_suits = 0;
}

static int run(bsdd_context *c, problem *p, int need)
{
  p->need = need;
  return (int)(c->use_bmi2 ? search_bmi2(c, p) : search_generic(c, p));
}

/* The tricks of North-South in the n still to play, known to be within lower..upper; the cards on whose holders the two
 * bounds depend in *mattered. */
static int converge_on(bsdd_context *c, problem *p, int lower, int upper, int guess, u64 *mattered)
{
  int north_south = p->leader & 1;
  u64 for_lower = 0, for_upper = 0;
  while (lower < upper) {
    int need = guess <= lower ? lower + 1 : guess > upper ? upper : guess;
    int value = north_south ? run(c, p, need) : p->n - run(c, p, p->n - need + 1);
    if (value >= need) lower = value, for_lower = c->mattered;
    else upper = value, for_upper = c->mattered;
    guess = value >= need ? value + 1 : value;
  }
  *mattered = for_lower | for_upper;
  return lower;
}

static int converge(bsdd_context *c, problem *p, int lower, int upper, int guess)
{
  u64 mattered;
  return converge_on(c, p, lower, upper, guess, &mattered);
}

static int reaches(bsdd_context *c, problem *p, int need)
{
  return need <= 0 || (need <= p->n && converge(c, p, need - 1, need, need) >= need);
}

/* Honour points in proportion, and seven tenths of a trick for each trump more than the other side. */
static int guess_tricks(const bsdd_context *c, const problem *p)
{
  static const int points[13] = {4, 3, 2, 1};
  int ours = 0, all = 0;
  for (int seat = 0; seat < 4; seat++)
    for (u64 x = c->hand[seat]; x; x &= x - 1) {
      int i = LOW(x) & 15, v = points[i];
      all += v;
      if (seat & 1) ours += v;
    }
  int guess = all ? (ours * p->n + all / 2) / all : p->n / 2;
  if (c->suit_contract)
    guess += 7 * (COUNT((c->hand[1] | c->hand[3]) & LANE0) - COUNT((c->hand[0] | c->hand[2]) & LANE0)) / 10;
  return guess < 0 ? 0 : guess > p->n ? p->n : guess;
}

/* The seat on turn plays a card (a bit); the return is the trick that North-South win by it, 0 or 1. */
static int play_card(bsdd_context *c, problem *p, u64 card)
{
  c->hand[(p->leader + p->count) & 3] ^= card;
  if (p->count < 3) {
    p->card[p->count++] = card;
    return 0;
  }
  u64 win = p->card[0];
  int winner = 0;
  for (int k = 1; k < 4; k++) {
    u64 next = k < 3 ? p->card[k] : card;
    if (beats(next, win, lane_of_index(LOW(p->card[0])), c->suit_contract)) win = next, winner = k;
  }
  p->leader = (p->leader + winner) & 3;
  p->n--;
  p->count = 0;
  return p->leader & 1;
}

/* North-South's tricks after a card, within lower..upper; the position stays as it was. */
static int after_card(bsdd_context *c, const problem *p, u64 card, int lower, int upper, int guess)
{
  u64 hand[4];
  memcpy(hand, c->hand, sizeof hand);
  problem next = *p;
  int won = play_card(c, &next, card);
  int most = upper - won < next.n ? upper - won : next.n, least = lower > won ? lower - won : 0;
  if (most < 0) most = 0;
  if (least > most) least = most;
  int value = won + converge(c, &next, least, most, guess - won);
  memcpy(c->hand, hand, sizeof hand);
  return value;
}

/* The cards that may be played, and all cards in play. */
static u64 playable(const bsdd_context *c, const problem *p, u64 *in_play)
{
  u64 hand = c->hand[(p->leader + p->count) & 3], follow = hand;
  *in_play = c->hand[0] | c->hand[1] | c->hand[2] | c->hand[3];
  for (int i = 0; i < p->count; i++) *in_play |= p->card[i];
  if (p->count) follow &= lane_of_index(LOW(p->card[0]));
  return follow ? follow : hand;
}

/* All cards of `can` that are equal to `card`, their highest. */
static u64 equals_of(u64 card, u64 can, u64 tops)
{
  u64 next = tops & lane_of_index(LOW(card)) & ~(card | (card - 1));
  return can & lane_of_index(LOW(card)) & ~(card - 1) & ((next & (0 - next)) - 1);
}

int32_t bsdd_solve(bsdd_context *c, const bsdd_position *position, int32_t *tricks)
{
  if (!c || !position || !tricks) return BSDD_BAD_ARGUMENT;
  int32_t status = bsdd_check(position, NULL);
  if (status) return status;
  problem p;
  set_up(c, position, &p);
  if (STOPPED(c)) return BSDD_CANCELLED;
  int value = converge(c, &p, 0, p.n, guess_tricks(c, &p));
  *tricks = (p.leader + p.count) & 1 ? value : p.n - value;
  return BSDD_OK;
}

int32_t bsdd_solve_ranks(bsdd_context *c, const bsdd_position *position, int32_t *tricks, uint16_t ranks[4])
{
  if (!c || !position || !tricks || !ranks) return BSDD_BAD_ARGUMENT;
  int32_t status = bsdd_check(position, NULL);
  if (status) return status;
  problem p;
  set_up(c, position, &p);
  if (STOPPED(c)) return BSDD_CANCELLED;
  u64 mattered;
  int value = converge_on(c, &p, 0, p.n, guess_tricks(c, &p), &mattered);
  *tricks = (p.leader + p.count) & 1 ? value : p.n - value;
  memset(ranks, 0, 4 * sizeof *ranks);
  for (; mattered; mattered &= mattered - 1) {
    int slot = slot_of(mattered, position->strain);
    ranks[slot / 13] |= (uint16_t)(1 << slot % 13);
  }
  return BSDD_OK;
}

int32_t bsdd_at_least(bsdd_context *c, const bsdd_position *position, int32_t target, int32_t *yes)
{
  if (!c || !position || !yes) return BSDD_BAD_ARGUMENT;
  int32_t status = bsdd_check(position, NULL);
  if (status) return status;
  problem p;
  set_up(c, position, &p);
  if (target <= 0 || target > p.n) {
    *yes = target <= 0;
    return BSDD_OK;
  }
  if (STOPPED(c)) return BSDD_CANCELLED;
  *yes = (p.leader + p.count) & 1 ? reaches(c, &p, target) : !reaches(c, &p, p.n + 1 - target);
  return BSDD_OK;
}

int32_t bsdd_cards(bsdd_context *c, const bsdd_position *position, int32_t mode, int32_t target, bsdd_card cards[13],
                   int32_t *count)
{
  if (!c || !position || !cards || !count || mode < BSDD_CARDS_ALL || mode > BSDD_CARDS_TARGET)
    return BSDD_BAD_ARGUMENT;
  if (mode == BSDD_CARDS_TARGET && (target < 0 || target > 13)) return BSDD_BAD_ARGUMENT;
  int32_t status = bsdd_check(position, NULL);
  if (status) return status;
  problem p;
  set_up(c, position, &p);
  if (p.n == 0) {
    *count = 0;
    return BSDD_OK;
  }
  if (STOPPED(c)) return BSDD_CANCELLED;
  int ours = (p.leader + p.count) & 1, value = 0, guess = guess_tricks(c, &p), n = 0;
  if (mode == BSDD_CARDS_BEST) value = converge(c, &p, 0, p.n, guess);
  if (mode == BSDD_CARDS_TARGET) value = ours ? target : p.n - target;
  u64 in_play, can = playable(c, &p, &in_play), tops = tops_of_runs(can, in_play);
  for (u64 left = tops; left; left &= left - 1) {
    u64 card = left & (0 - left), equals = equals_of(card, can, tops);
    int tricks;
    if (mode == BSDD_CARDS_ALL) guess = tricks = after_card(c, &p, card, 0, p.n, guess);
    else {
      if (value < 0 || value > p.n) break;
      if (ours && value > 0 && after_card(c, &p, card, value - 1, value, value) < value) continue;
      if (!ours && value < p.n && after_card(c, &p, card, value, value + 1, value + 1) > value) continue;
      tricks = value;
    }
    bsdd_card found = {(uint8_t)slot_of(card, position->strain), (uint8_t)(ours ? tricks : p.n - tricks),
                       (uint16_t)(equals >> (LOW(card) & 48))};
    int at = n++;
    for (; at > 0 && (cards[at - 1].tricks < found.tricks ||
                      (cards[at - 1].tricks == found.tricks && cards[at - 1].card > found.card)); at--)
      cards[at] = cards[at - 1];
    cards[at] = found;
  }
  *count = n;
  return BSDD_OK;
}

static int32_t fault_at(bsdd_problem *out, int32_t status, int seat, int card, int index)
{
  if (out) *out = (bsdd_problem){status, seat, card, index};
  return status;
}

int32_t bsdd_analyse_play(bsdd_context *c, const bsdd_position *position, const uint8_t *cards, int32_t count,
                          uint8_t *tricks, bsdd_problem *problem_out)
{
  fault_at(problem_out, BSDD_BAD_ARGUMENT, -1, -1, -1);
  if (!c || !position || (!cards && count) || count < 0 || !tricks) return BSDD_BAD_ARGUMENT;
  int32_t status = bsdd_check(position, problem_out);
  if (status) return status;
  problem p;
  set_up(c, position, &p);
  fault_at(problem_out, BSDD_CANCELLED, -1, -1, -1);
  if (STOPPED(c)) return BSDD_CANCELLED;
  int won = 0, value = converge(c, &p, 0, p.n, guess_tricks(c, &p));
  tricks[0] = (uint8_t)value;
  for (int32_t i = 0; i < count; i++) {
    int seat = (p.leader + p.count) & 3, card = cards[i];
    u64 in_play, can = playable(c, &p, &in_play);
    status = BSDD_OK;
    if (card > 51) status = BSDD_PLAY_CARD, seat = -1;
    else if (!in_play || p.n == 0) status = BSDD_PLAY_TOO_LONG, seat = card = -1;
    else if (!(c->hand[seat] & bit_of(card, position->strain))) status = BSDD_PLAY_NOT_HELD;
    else if (!(can & bit_of(card, position->strain))) status = BSDD_PLAY_REVOKE;
    if (status) return fault_at(problem_out, status, seat, card, i);
    int ours = seat & 1, left;
    won += play_card(c, &p, bit_of(card, position->strain));
    left = value - won;
    /* A card cannot win its side anything; first ask whether it kept what there was. */
    if (ours) left = left < 0 ? 0 : converge(c, &p, 0, left < p.n ? left : p.n, left);
    else left = converge(c, &p, left > 0 ? left : 0, p.n, left + 1);
    value = won + left;
    tricks[i + 1] = (uint8_t)value;
  }
  return fault_at(problem_out, BSDD_OK, -1, -1, -1);
}

int32_t bsdd_best_line(bsdd_context *c, const bsdd_position *position, uint8_t cards[52], int32_t *count,
                       int32_t *tricks)
{
  if (!c || !position || !cards || !count || !tricks) return BSDD_BAD_ARGUMENT;
  int32_t status = bsdd_check(position, NULL);
  if (status) return status;
  problem p;
  set_up(c, position, &p);
  if (STOPPED(c)) return BSDD_CANCELLED;
  int value = converge(c, &p, 0, p.n, guess_tricks(c, &p)), n = 0;
  int32_t total = (p.leader + p.count) & 1 ? value : p.n - value;
  while (p.n) {
    int ours = (p.leader + p.count) & 1;
    u64 in_play, can = playable(c, &p, &in_play), tops = tops_of_runs(can, in_play), card = 0;
    for (u64 left = tops; left; left &= left - 1) {
      card = left & (0 - left);
      if (!(left & (left - 1))) break; /* the last one must do */
      if (ours ? value == 0 || after_card(c, &p, card, value - 1, value, value) == value
               : value == p.n || after_card(c, &p, card, value, value + 1, value + 1) == value)
        break;
    }
    card = BIT(HIGH(equals_of(card, can, tops)));
    value -= play_card(c, &p, card);
    cards[n++] = (uint8_t)slot_of(card, position->strain);
  }
  *count = n;
  *tricks = total;
  return BSDD_OK;
}

int32_t bsdd_table(bsdd_context *c, const uint8_t deal[52], uint32_t cells, uint8_t table[20])
{
  if (!c || !deal || !table || cells >> 20) return BSDD_BAD_ARGUMENT;
  memset(table, BSDD_UNSOLVED, 20);
  int32_t status = bsdd_check_deal(deal, NULL);
  if (status) return status;
  static const unsigned char turn[4] = {3, 1, 2, 0}; /* declarers S N E W: partners after each other */
  if (STOPPED(c)) return BSDD_CANCELLED;
  for (int strain = 0; strain < 5; strain++) {
    int north_south = -1;
    for (int i = 0; i < 4; i++) {
      int declarer = turn[i];
      if (!(cells >> (strain * 4 + declarer) & 1)) continue;
      bsdd_position position = {.strain = (uint8_t)strain, .leader = (uint8_t)((declarer + 1) & 3)};
      memcpy(position.holder, deal, 52);
      problem p;
      set_up(c, &position, &p);
      int guess = guess_tricks(c, &p);
      if (north_south >= 0) guess = north_south;
      north_south = converge(c, &p, 0, p.n, guess);
      table[strain * 4 + declarer] = (uint8_t)(declarer & 1 ? north_south : p.n - north_south);
    }
  }
  return BSDD_OK;
}

int32_t bsdd_batch(bsdd_context *c, const uint8_t *deals, size_t count, uint32_t cells, uint8_t *tables,
                   uint8_t *statuses, size_t *done)
{
  if (done) *done = 0;
  if (!c || (count && (!deals || !tables)) || cells >> 20) return BSDD_BAD_ARGUMENT;
  int32_t first = BSDD_OK, stopped = 0;
  for (size_t i = 0; i < count; i++) {
    int32_t status = BSDD_CANCELLED;
    if (stopped) memset(tables + i * 20, BSDD_UNSOLVED, 20);
    else status = must_stop(c) ? BSDD_CANCELLED : bsdd_table(c, deals + i * 52, cells, tables + i * 20);
    if (status == BSDD_CANCELLED && !stopped) {
      memset(tables + i * 20, BSDD_UNSOLVED, 20);
      stopped = 1;
    }
    if (statuses) statuses[i] = (uint8_t)status;
    if (done && !stopped) ++*done;
    if (status && !first) first = status;
  }
  return stopped ? BSDD_CANCELLED : first;
}
