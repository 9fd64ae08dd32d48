/* The WebAssembly module: one context, one question at a time, with what is asked and answered at fixed places of its
 * memory. There is no way to stop a search from inside: whoever runs the module ends the Worker that it runs in. */
#include <stdlib.h>
#include <string.h>

#include "../include/bridgespec_dd.h"

#define EXPORT(name) __attribute__((export_name(#name)))

/* --- the heap: it never reaches beyond what the caller allows. The solver keeps a few large pieces, so the first hole that
 * is large enough will do; what does not fit is refused, and the table makes room. */

enum { PAGE = 65536, LINE = 64 };

/* A piece that is free, or, before each piece that is taken, how long it is with this head. */
typedef struct piece {
  size_t size;
  struct piece *next; /* the next free one further up */
} piece;

extern char __heap_base;
static piece *holes;
static uintptr_t top, most; /* where nothing has been taken yet; bytes that the module's memory may have in all */

void *malloc(size_t bytes)
{
  size_t size = (bytes + 2 * LINE - 1) / LINE * LINE;
  if (size < bytes) return NULL;
  for (piece **link = &holes; *link; link = &(*link)->next) {
    piece *hole = *link;
    if (hole->size < size) continue;
    if (hole->size > size) {
      piece *rest = (piece *)((uintptr_t)hole + size);
      *rest = (piece){hole->size - size, hole->next};
      *link = rest;
    } else *link = hole->next;
    hole->size = size;
    return (char *)hole + LINE;
  }
  uintptr_t end = (uintptr_t)__builtin_wasm_memory_size(0) * PAGE, pages = 0;
  if (most < top || size > most - top) return NULL;
  if (top + size > end) pages = (top + size - end + PAGE - 1) / PAGE;
  if (pages && __builtin_wasm_memory_grow(0, pages) == SIZE_MAX) return NULL;
  piece *new = (piece *)top;
  new->size = size;
  top += size;
  return (char *)new + LINE;
}

void free(void *memory)
{
  if (!memory) return;
  piece *back = (piece *)((uintptr_t)memory - LINE), *before = NULL, **link = &holes;
  while (*link && *link < back) before = *link, link = &before->next;
  back->next = *link;
  *link = back;
  if (back->next && (uintptr_t)back + back->size == (uintptr_t)back->next)
    back->size += back->next->size, back->next = back->next->next;
  if (before && (uintptr_t)before + before->size == (uintptr_t)back) before->size += back->size, before->next = back->next;
}

void *calloc(size_t count, size_t size)
{
  void *memory = malloc(count * size); /* of constants, and of bytes */
  if (memory) memset(memory, 0, count * size);
  return memory;
}

void *aligned_alloc(size_t alignment, size_t bytes) { return alignment <= LINE ? malloc(bytes) : NULL; }

/* --- questions ------------------------------------------------------------------------------------------------------ */

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

/* Begins with so much memory, besides the module's own half megabyte; once. */
EXPORT(open) int32_t dd_open(uint32_t bytes)
{
  if (context) return BSDD_BAD_ARGUMENT;
  top = ((uintptr_t)&__heap_base + LINE - 1) / LINE * LINE;
  most = top + bytes < bytes ? UINTPTR_MAX : top + bytes;
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
