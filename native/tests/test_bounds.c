/* The bounds of quick.h against a search that does without them, and their ranks: every position with the same suit
 * lengths and the same owners of the ranks named must keep the bound. usage: test_bounds [ENDINGS [SEED]] */
#include <stdio.h>
#include <stdlib.h>

#include "../src/internal.h"
#include "../src/quick.h"

static uint64_t state = 88172645463325252u;

static uint32_t rnd(uint32_t below)
{
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (uint32_t)((state >> 11) % below);
}

static int truth(bsdd_context *c, const u64 *hand, int leader, int suit_contract)
{
  bsdd_position p = {.strain = (uint8_t)suit_contract, .leader = (uint8_t)leader};
  int32_t tricks = -1;
  for (int i = 0; i < 52; i++) {
    p.holder[i] = 4;
    for (int seat = 0; seat < 4; seat++)
      if (hand[seat] & BIT(i / 13 * 16 + i % 13)) p.holder[i] = (uint8_t)seat;
  }
  if (bsdd_solve(c, &p, &tricks)) abort();
  return tricks;
}

static void show(const u64 *hand, int leader, int suit_contract, u64 win)
{
  for (int seat = 0; seat < 4; seat++) {
    fprintf(stderr, "  %c%c ", "WNES"[seat], seat == leader ? '*' : ' ');
    for (int i = 0; i < 52; i++) {
      if (i && i % 13 == 0) fputc('.', stderr);
      if (hand[seat] & BIT(i / 13 * 16 + i % 13)) fputc("AKQJT98765432"[i % 13], stderr);
    }
  }
  fprintf(stderr, " %s ranks %016llx\n", suit_contract ? "trumps first suit" : "no trumps", (unsigned long long)win);
}

/* Deals the ranks of each suit that do not matter to the same hands in another order. */
static void shuffle(u64 *hand, u64 fixed)
{
  for (int lane = 0; lane < 64; lane += 16) {
    int place[13], owner[13], n = 0;
    for (int i = lane; i < lane + 13; i++)
      for (int seat = 0; seat < 4; seat++)
        if (hand[seat] & BIT(i) & ~fixed) place[n] = i, owner[n++] = seat;
    for (int i = 0; i < n; i++) hand[owner[i]] &= ~BIT(place[i]);
    for (int i = n - 1; i > 0; i--) {
      int j = (int)rnd((uint32_t)i + 1), swap = owner[i];
      owner[i] = owner[j], owner[j] = swap;
    }
    for (int i = 0; i < n; i++) hand[owner[i]] |= BIT(place[i]);
  }
}

/* What two_hands() is relied on for, in every case there is: being on lead costs one trick at most, so does the lowest trump
 * when it is spent; one of the hand in front costs none, and spare ones do no harm. */
static int wrong_two_hands(unsigned char *known)
{
  int wrong = 0;
  for (int owners = 1; owners < 1 << 14; owners++)
    for (int spare = 0, end = HIGH((u64)owners); spare <= 13 - end; spare++) {
      trump_wins w = two_hands(known, owners, spare), less;
      wrong += w.leading > w.waiting || w.waiting > w.leading + 1 || w.waiting > COUNT((u64)owners) - 1;
      if (spare) less = two_hands(known, owners, spare - 1), wrong += less.waiting > w.waiting || less.leading > w.leading;
      for (int place = 0; place < end; place++) {
        int lost = owners >> place & 1;
        if (lost && place != HIGH((u64)(owners ^ 1 << end))) continue;
        less = two_hands(known, without(owners, place), spare);
        wrong += less.waiting < w.waiting - lost || less.leading < w.leading - lost;
      }
    }
  return wrong;
}

int main(int argc, char **argv)
{
  int endings = argc > 1 ? atoi(argv[1]) : 20000, failures = 0, useful = 0;
  if (argc > 2) state += strtoull(argv[2], NULL, 10) * 7919;
  bsdd_context *c;
  if (bsdd_create(0, &c)) return 2;
  int wrong = wrong_two_hands(c->two_hands);
  if (wrong) failures += wrong, fprintf(stderr, "two_hands: %d wrong\n", wrong);
  for (int e = 0; e < endings && failures < 5; e++) {
    u64 hand[4] = {0, 0, 0, 0};
    int n = 2 + (int)rnd(6), held[4] = {0, 0, 0, 0}, leader = (int)rnd(4), suit_contract = (int)rnd(3) != 0;
    int skew = (int)rnd(3), ranks = n < 4 ? 3 + (int)rnd(11) : 8 + (int)rnd(6), suits = n < 4 ? 2 + (int)rnd(3) : 4;
    for (int given = 0, tries = 0; given < 4 * n; tries++) {
      int lane = (int)rnd((uint32_t)suits), i = lane * 16 + (int)rnd((uint32_t)(tries > 400 ? 13 : ranks)), seat = (int)rnd(4);
      if (tries > 800) i = (int)rnd(4) * 16 + (int)rnd(13);
      if (skew && rnd(3)) seat = (lane + (skew == 2 ? i & 1 : 0)) & 3;
      if (held[seat] == n) seat = (int)rnd(4);
      if (((hand[0] | hand[1] | hand[2] | hand[3]) & BIT(i)) || held[seat] == n) continue;
      hand[seat] |= BIT(i), held[seat]++, given++;
    }
    u64 all = hand[0] | hand[1] | hand[2] | hand[3];
    for (int side = 0; side < 2; side++) {
      u64 at[4];
      memcpy(at, hand, sizeof at);
      int need = 1 + (int)rnd((uint32_t)n);
      result r = side ? sure_losers(c->two_hands, hand, all, leader, need, suit_contract)
                      : sure_tricks(c->two_hands, hand, leader, n, need, suit_contract);
      if (r.value < need) continue;
      useful++;
      u64 fixed = r.win ? down_to(r.win) : 0;
      for (int again = 0; again < 4 && failures < 5; again++) {
        int value = truth(c, at, leader, suit_contract);
        if (side) value = n - value;
        if (value < r.value) {
          failures++;
          fprintf(stderr, "%s %d but %d (%s)\n", side ? "losers" : "tricks", (int)r.value, value,
                  again ? "with other small cards" : "as dealt");
          show(at, leader, suit_contract, r.win);
        }
        shuffle(at, fixed);
      }
    }
  }
  bsdd_destroy(c);
  printf("%d bounds on %d endings, %d failures\n", useful, endings, failures);
  return failures != 0;
}
