/* The WebAssembly module: one context, one question at a time, with what is asked and answered at fixed places of its
 * memory. There is no way to stop a search from inside: whoever runs the module ends the Worker that it runs in. */
#include "../include/bridgespec_dd.h"

#define EXPORT(name) __attribute__((export_name(#name)))

static bsdd_context *context;
static bsdd_problem problem;
static struct {
  bsdd_position position;
  uint8_t cards[52];
} question;
static union {
  uint8_t table[20], tricks[53];
  bsdd_card cards[13];
} answer;

/* Where to write a bsdd_position and, after its 58 bytes, the cards of a play; and where the answers are. */
EXPORT(question) void *dd_question(void) { return &question; }
EXPORT(answer) void *dd_answer(void) { return &answer; }

/* seat, card and index of the fault that the last question was refused for, as bsdd_problem; and its words. */
EXPORT(problem) void *dd_problem(void) { return &problem; }
EXPORT(status_text) const char *dd_status_text(int32_t status) { return bsdd_status_text(status); }

/* Begins anew with so much memory. */
EXPORT(open) int32_t dd_open(uint32_t bytes)
{
  bsdd_destroy(context);
  return bsdd_create(bytes, &context);
}

/* The cells asked for, from the holders alone. */
EXPORT(table) int32_t dd_table(uint32_t cells)
{
  int32_t status = bsdd_check_deal(question.position.holder, &problem);
  return status ? status : bsdd_table(context, question.position.holder, cells, answer.table);
}

/* The number of groups of cards, or less than 0: a status. */
EXPORT(cards) int32_t dd_cards(void)
{
  int32_t count = 0, status = bsdd_check(&question.position, &problem);
  if (!status) status = bsdd_cards(context, &question.position, BSDD_CARDS_ALL, 0, answer.cards, &count);
  return status ? -status : count;
}

/* North-South's tricks before the first of `count` cards and after each. */
EXPORT(trace) int32_t dd_trace(int32_t count)
{
  if (count < 0 || count > 52) return BSDD_BAD_ARGUMENT;
  return bsdd_analyse_play(context, &question.position, question.cards, count, answer.tricks, &problem);
}
