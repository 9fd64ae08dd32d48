/* Contexts in four threads at once, one of them cancelled from outside: meant for ThreadSanitizer. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../include/bridgespec_dd.h"

enum { THREADS = 4, CARDS = 6 };

static int flag;
static uint8_t result[THREADS][20];
static int32_t status[THREADS];

static void deal_out(uint8_t deal[52], unsigned seed, int cards)
{
  int held[4] = {0, 0, 0, 0};
  memset(deal, 4, 52);
  for (int i = 0; i < 4 * cards;) {
    seed = seed * 1664525u + 1013904223u;
    int card = (int)(seed >> 16) % 52, seat = (int)(seed >> 8) & 3;
    if (deal[card] < 4 || held[seat] == cards) continue;
    deal[card] = (uint8_t)seat, held[seat]++, i++;
  }
}

static void *work(void *argument)
{
  int me = *(int *)argument;
  bsdd_context *c;
  uint8_t deal[52];
  status[me] = bsdd_create((size_t)8 << 20, &c);
  if (status[me]) return NULL;
  if (me == THREADS - 1) {
    bsdd_set_cancel(c, &flag);
    do {
      deal_out(deal, 7, 13);
      bsdd_reset(c);
      status[me] = bsdd_table(c, deal, 0xfffff, result[me]);
    } while (status[me] == BSDD_OK);
  } else {
    for (unsigned i = 0; i < 20 && !status[me]; i++) {
      deal_out(deal, i, CARDS);
      status[me] = bsdd_table(c, deal, 0xfffff, result[me]);
    }
  }
  bsdd_destroy(c);
  return NULL;
}

int main(void)
{
  pthread_t thread[THREADS];
  int name[THREADS];
  for (int i = 0; i < THREADS; i++) {
    name[i] = i;
    if (pthread_create(&thread[i], NULL, work, &name[i])) return 2;
  }
  for (int i = 0; i < THREADS - 1; i++) pthread_join(thread[i], NULL);
  __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
  pthread_join(thread[THREADS - 1], NULL);
  int bad = status[THREADS - 1] != BSDD_CANCELLED;
  for (int i = 0; i < THREADS - 1; i++) bad += status[i] != BSDD_OK || memcmp(result[i], result[0], 20) != 0;
  printf("%d threads, %d failures\n", THREADS, bad);
  return bad != 0;
}
