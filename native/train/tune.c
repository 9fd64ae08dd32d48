/* Tunes weights of leads by what they cost: tune STEPS SEED SKEWED < weights.h > numbers, for fit.py. An evolution strategy
 * (Salimans and others, "Evolution strategies as a scalable alternative to reinforcement learning", 2017): each deal is solved in
 * one strain by one declarer with all weights moved by WIDTH, each up or down by chance, and once more with all of them moved the
 * other way. The difference of the logarithms of the cards played is a sample of the slope along that direction, and Adam descends
 * the mean of PAIRS of them. Every step has fresh deals: what climbing gains on the same deals is their chance. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../src/internal.h"

#include "deals.h"

#define WEIGHTS "../train/tuned.h"
#include "../src/search_generic.c"

enum { PAIRS = 128 };
static const double WIDTH = 6, RATE = 0.3;
static double weight[NONE], slope[NONE], mean[NONE], square[NONE];
static signed char way[NONE];

/* All weights, so many times their way from where they are. */
static void move_weights(double by)
{
  for (int i = 0; i < NONE; i++) tuned[i] = (signed char)lrint(fmax(-127, fmin(127, weight[i] + by * way[i])));
}

/* The logarithm, since a sum would be that of the few longest searches; 1,000 more, so that trivial ones count little. */
static double cost(bsdd_context *c, const uint8_t deal[52], uint32_t cell)
{
  uint8_t table[20];
  bsdd_reset(c);
  u64 before = c->nodes;
  if (bsdd_table(c, deal, cell, table)) exit(1);
  return log((double)(c->nodes - before) + 1000);
}

/* The numbers between "=" and ";" of each table, in the order of the file. */
static int read_weights(void)
{
  int count = 0, ch, inside = 0, x;
  while ((ch = getchar()) != EOF) {
    if (ch == '=') inside = 1;
    if (ch == ';') inside = 0;
    if (!inside || !(ch == '-' || (ch >= '0' && ch <= '9'))) continue;
    ungetc(ch, stdin);
    if (scanf("%d", &x) != 1 || count == NONE) return 0;
    weight[count++] = x;
  }
  return count == NONE;
}

/* One step's sample of the slope; returns the mean cost. */
static double sampled_slope(bsdd_context *c, u32 skewed)
{
  double sum = 0;
  memset(slope, 0, sizeof slope);
  for (u32 pair = 0; pair < PAIRS; pair++) {
    uint8_t deal[52];
    for (int i = 0; i < 52; i++) deal[i] = (uint8_t)(i & 3);
    if (skewed && pair % skewed == 0) skewed_deal(deal);
    else shuffle(deal, 52);
    uint32_t cell = (uint32_t)1 << rnd(20);
    for (int i = 0; i < NONE; i++) way[i] = rnd(2) ? 1 : -1;
    move_weights(WIDTH);
    double up = cost(c, deal, cell);
    move_weights(-WIDTH);
    double down = cost(c, deal, cell);
    sum += (up + down) / 2;
    for (int i = 0; i < NONE; i++) slope[i] += (up - down) / (2 * WIDTH * PAIRS) * way[i];
  }
  return sum / PAIRS;
}

int main(int argc, char **argv)
{
  if (argc != 4 || !read_weights()) return fprintf(stderr, "usage: tune STEPS SEED SKEWED < weights.h > numbers\n"), 2;
  int steps = atoi(argv[1]);
  state += strtoull(argv[2], NULL, 10) * 0x9e3779b97f4a7c15u;
  u32 skewed = (u32)atoi(argv[3]);
  bsdd_context *c;
  if (bsdd_create(0, &c)) return 1;
  double sum = 0;
  for (int step = 1; step <= steps; step++) {
    sum += sampled_slope(c, skewed);
    /* Adam (Kingma and Ba, 2015), with a rate that falls to nothing. */
    double rate = RATE * (1 - (double)step / (steps + 1));
    for (int i = 0; i < NONE; i++) {
      mean[i] = 0.9 * mean[i] + 0.1 * slope[i];
      square[i] = 0.99 * square[i] + 0.01 * slope[i] * slope[i];
      weight[i] -= rate * (mean[i] / (1 - pow(0.9, step))) / (sqrt(square[i] / (1 - pow(0.99, step))) + 1e-9);
    }
    if (step % 20 == 0) fprintf(stderr, "step %d: %.4f, the mean of twenty steps\n", step, sum / 20), sum = 0;
  }
  for (int i = 0; i < NONE; i++) printf("%.3f\n", weight[i]);
  bsdd_destroy(c);
  return fflush(stdout) != 0;
}
