/* What can be wrong with a position. */
#include <stddef.h>

#include "../include/bridgespec_dd.h"

static int32_t fault(bsdd_problem *problem, int32_t status, int32_t seat, int32_t card)
{
  if (problem) *problem = (bsdd_problem){status, seat, card, -1};
  return status;
}

int32_t bsdd_check(const bsdd_position *p, bsdd_problem *problem)
{
  if (!p) return fault(problem, BSDD_BAD_ARGUMENT, -1, -1);
  int held[5] = {0, 0, 0, 0, 0};
  for (int i = 0; i < 52; i++) {
    if (p->holder[i] > 4) return fault(problem, BSDD_BAD_HOLDER, -1, i);
    held[p->holder[i]]++;
  }
  if (p->strain > 4) return fault(problem, BSDD_BAD_STRAIN, -1, -1);
  if (p->leader > 3) return fault(problem, BSDD_BAD_LEADER, p->leader, -1);
  if (p->trick_length > 3) return fault(problem, BSDD_BAD_TRICK_LENGTH, -1, -1);
  for (int i = 0; i < p->trick_length; i++)
    if (p->trick[i] > 51) return fault(problem, BSDD_BAD_TRICK_CARD, (p->leader + i) & 3, p->trick[i]);
  for (int i = 0; i < p->trick_length; i++)
    for (int j = 0; j < i; j++)
      if (p->trick[i] == p->trick[j]) return fault(problem, BSDD_CARD_TWICE, (p->leader + i) & 3, p->trick[i]);
  for (int i = 0; i < p->trick_length; i++)
    if (p->holder[p->trick[i]] < 4) return fault(problem, BSDD_TRICK_CARD_HELD, p->holder[p->trick[i]], p->trick[i]);
  int on_turn = (p->leader + p->trick_length) & 3, size = held[on_turn];
  if (size > 13 || (p->trick_length && size == 0)) return fault(problem, BSDD_HAND_SIZE, on_turn, -1);
  for (int i = 0; i < 4; i++)
    if (held[(p->leader + i) & 3] != size - (i < p->trick_length))
      return fault(problem, BSDD_HAND_SIZE, (p->leader + i) & 3, -1);
  for (int i = 1; i < p->trick_length; i++) {
    int seat = (p->leader + i) & 3, led = p->trick[0] / 13;
    if (p->trick[i] / 13 == led) continue;
    for (int j = led * 13; j < led * 13 + 13; j++)
      if (p->holder[j] == seat) return fault(problem, BSDD_REVOKE, seat, p->trick[i]);
  }
  return fault(problem, BSDD_OK, -1, -1);
}

int32_t bsdd_check_deal(const uint8_t deal[52], bsdd_problem *problem)
{
  if (!deal) return fault(problem, BSDD_BAD_ARGUMENT, -1, -1);
  bsdd_position p = {.strain = 0};
  for (int i = 0; i < 52; i++) p.holder[i] = deal[i];
  return bsdd_check(&p, problem);
}

const char *bsdd_status_text(int32_t status)
{
  switch (status) {
  case BSDD_OK: return "no fault";
  case BSDD_NO_MEMORY: return "not enough memory";
  case BSDD_BAD_ARGUMENT: return "an argument is null or out of range";
  case BSDD_CANCELLED: return "cancelled";
  case BSDD_BAD_HOLDER: return "a card is held by something that is not a seat";
  case BSDD_BAD_STRAIN: return "the strain is none of the five";
  case BSDD_BAD_LEADER: return "the leader is none of the four seats";
  case BSDD_BAD_TRICK_LENGTH: return "the current trick has more than three cards";
  case BSDD_BAD_TRICK_CARD: return "the current trick has a card that does not exist";
  case BSDD_CARD_TWICE: return "a card stands twice in the current trick";
  case BSDD_TRICK_CARD_HELD: return "a card of the current trick is still held";
  case BSDD_HAND_SIZE: return "a hand holds too many or too few cards";
  case BSDD_REVOKE: return "a card of the current trick is a revoke";
  case BSDD_PLAY_CARD: return "the play has a card that does not exist";
  case BSDD_PLAY_NOT_HELD: return "the play has a card that the seat on turn does not hold";
  case BSDD_PLAY_REVOKE: return "the play has a card that revokes";
  case BSDD_PLAY_TOO_LONG: return "the play has more cards than the position";
  default: return "unknown status";
  }
}
