/* Times 20-cell tables or single solves: bench table|solve FILE [FIRST] [COUNT]; one "N:..." deal a line. The line
 * protocol (milliseconds are card nodes with COUNT_NODES set in the environment): index, milliseconds, 20 numbers (S H D C NT x declarer N E S W) or one; then a summary. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../include/bridgespec_dd.h"

static double now(void)
{
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* "N:AK.. ... ... ..." to 52 bytes; 0 where it is not a deal. */
static int read_deal(const char *line, uint8_t deal[52])
{
  static const char seats[] = "WNES", ranks[] = "AKQJT98765432";
  const char *at = strchr(line, ':');
  if (!at || at == line || !strchr(seats, at[-1])) return 0;
  int seat = (int)(strchr(seats, at[-1]) - seats), suit = 0;
  memset(deal, 4, 52);
  for (const char *p = at + 1; *p && *p != '"' && *p != '\n' && *p != '\r'; p++) {
    if (*p == '.') suit++;
    else if (*p == ' ') seat = (seat + 1) & 3, suit = 0;
    else {
      const char *r = strchr(ranks, *p);
      if (!r || suit > 3) return 0;
      deal[suit * 13 + (int)(r - ranks)] = (uint8_t)seat;
    }
  }
  return bsdd_check_deal(deal, NULL) == BSDD_OK;
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
  if (argc < 3) return fprintf(stderr, "usage: bench table|solve FILE [FIRST] [COUNT]\n"), 2;
  int one = strcmp(argv[1], "solve") == 0, first = argc > 3 ? atoi(argv[3]) : 0, most = argc > 4 ? atoi(argv[4]) : 1 << 30;
  const char *quiet = getenv("QUIET"), *memory = getenv("MEMORY_MB"), *count = getenv("COUNT_NODES");
  FILE *f = fopen(argv[2], "r");
  bsdd_context *c;
  if (!f || bsdd_create(memory ? (size_t)atol(memory) << 20 : 0, &c)) return fprintf(stderr, "cannot start\n"), 2;
  static double times[1 << 20];
  char line[1024];
  int index = 0, done = 0;
  double sum = 0;
  uint64_t most_memory = 0, seen = 0;
  while (fgets(line, sizeof line, f) && done < most && done < 1 << 20) {
    bsdd_position p = {.strain = 0};
    uint8_t cell[20];
    if (!read_deal(line, p.holder)) continue;
    if (index++ < first) continue;
    int32_t tricks = 0, i = index - 1;
    p.strain = (uint8_t)((i % 5 + 1) % 5), p.leader = (uint8_t)((i / 5 + 1) & 3);
    double start = now();
    int32_t status = one ? bsdd_solve(c, &p, &tricks) : bsdd_table(c, p.holder, 0xfffff, cell);
    double ms = (now() - start) * 1e3;
    if (count) {
      bsdd_stats each;
      bsdd_get_stats(c, &each);
      ms = (double)(each.nodes - seen);
      seen = each.nodes;
    }
    if (status) return fprintf(stderr, "%s\n", bsdd_status_text(status)), 1;
    times[done++] = ms, sum += ms;
    if (!quiet) {
      printf("%d %.3f", i, ms);
      if (one) printf(" %d", tricks);
      else
        for (int s = 1; s <= 5; s++)
          for (int d = 1; d <= 4; d++) printf(" %d", cell[(s % 5) * 4 + (d & 3)]);
      printf("\n");
    }
    bsdd_stats now_stats;
    bsdd_get_stats(c, &now_stats);
    if (now_stats.memory > most_memory) most_memory = now_stats.memory;
  }
  if (!done) return fprintf(stderr, "no deals\n"), 1;
  bsdd_stats s;
  bsdd_get_stats(c, &s);
  qsort(times, (size_t)done, sizeof *times, by_size);
  printf("#SUMMARY deals %d mean_ms %.3f median_ms %.3f p95_ms %.3f max_ms %.3f nodes %.0f lookups %.0f hits %.0f adds %.0f "
         "searches %.1f ns_node %.1f wipes %llu memory_mb %.1f\n",
         done, sum / done, times[done / 2], times[(int)(done * 0.95)], times[done - 1], (double)s.nodes / done,
         (double)s.lookups / done, (double)s.hits / done, (double)s.adds / done, (double)s.searches / done,
         sum * 1e6 / (double)(s.nodes + !s.nodes), (unsigned long long)s.wipes, (double)most_memory / (1 << 20));
  bsdd_destroy(c);
  return 0;
}
