/* JSQ in continuous time: N queues, Poisson arrivals of rate load*N, services of rate 1.
 *
 * The chain uniformised at rate N(1 + load), one random word and O(1) work a step: q holds the queue lengths in
 * increasing order and below[l] how many of them are less than l; an arrival joins the last of the shortest, a departure
 * leaves from the first of its level, so that the order stays.
 *
 * usage: ct SERVERS LOAD STEPS WARM SEED
 * prints: CPU seconds of all steps, the arrivals and departures that they stand for, time average of the total over the
 * steps after the first WARM. A step that offers a service to an idle server is no event: 2 load/(1 + load) of all are. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop.h"

int main(int argc, char **argv) {
    if (argc != 6) return 2;
    const int64_t n = strtoll(argv[1], 0, 10), steps = strtoll(argv[3], 0, 10), warm = strtoll(argv[4], 0, 10);
    const double load = strtod(argv[2], 0);
    const uint64_t cut = (uint64_t)ldexp(load / (1 + load), 64); /* an arrival, if the fraction is below */
    rng s = start(strtoull(argv[5], 0, 10));
    const int64_t room = 1 << 22;
    int64_t *q = calloc((size_t)n, sizeof *q), *below = calloc((size_t)room, sizeof *below), *hist = calloc((size_t)room, sizeof *hist);
    if (!q || !below || !hist || n < 1 || warm >= steps) return 1;
    for (int64_t l = 1; l < room; l++) below[l] = n;
    memset(hist, 1, (size_t)room * sizeof *hist); /* all pages are there before the clock starts */
    memset(hist, 0, (size_t)room * sizeof *hist);
    int64_t total = 0, squares = 0, idle = 0, idle_total = 0, sum_squares = 0, joined = 0;
    double seconds = 0;
    for (int64_t k = 0, until = warm; k < steps; until = steps) {
        const double begin = cpu();
        for (; k < until; k++) {
            const int64_t i = below[1];
            hist[total]++;
            idle += i;
            idle_total += i * total;
            sum_squares += squares;
            const u128 w = (u128)word(&s) * (uint64_t)n;
            const int64_t arrive = (uint64_t)w < cut;
            const int64_t low = q[0];
            const int64_t level = q[arrive ? 0 : (uint64_t)(w >> 64)] + arrive;
            const int64_t delta = level == 0 ? 0 : 2 * arrive - 1;
            const int64_t p = below[level] - arrive;
            const int64_t x = q[p];
            q[p] = x + delta;
            below[level] -= delta;
            total += delta;
            squares += delta * (2 * x + delta);
            joined += arrive * low;
        }
        seconds += cpu() - begin;
        if (until == warm)
            for (int64_t x = 0; x < room; x++) hist[x] = 0;
    }
    double sum = 0;
    for (int64_t x = 0; x < room; x++) sum += (double)x * (double)hist[x];
    printf("%.9f %.17g %.17g\n", seconds, (double)steps * 2 * load / (1 + load), sum / (double)(steps - warm));
    return (idle ^ idle_total ^ sum_squares ^ joined) == 42; /* keeps the sums alive */
}
