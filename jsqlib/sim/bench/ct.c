/* The continuous-time JSQ chain of ctengine.go, step for step and bit for bit:
 * uniformised, O(1) and one random word a step. Built by the benchmark
 * BenchmarkDirectCTAgainstC, which compares the steps per second.
 *
 * usage: ct N cut seed_hi seed_lo steps
 * prints: seconds, then the total, the sum of idle servers and a checksum of
 * the histogram of the total, to show that both ran the same path. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PCG
#include "../../../bench/random.h"

int main(int argc, char **argv) {
    if (argc != 6) return 2;
    const int64_t n = strtoll(argv[1], 0, 10);
    const uint64_t cut = strtoull(argv[2], 0, 10);
    u128 s = ((u128)strtoull(argv[3], 0, 10) << 64) | strtoull(argv[4], 0, 10);
    const int64_t steps = strtoll(argv[5], 0, 10);
    const int64_t room = 1 << 22;
    int64_t *q = calloc(n, sizeof *q), *below = calloc(room, sizeof *below), *hist = calloc(room, sizeof *hist);
    for (int64_t l = 1; l < room; l++) below[l] = n;
    int64_t total = 0, squares = 0, idle = 0, idleQ = 0, sumSquares = 0, joined = 0;
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (int64_t k = 0; k < steps; k++) {
        const int64_t i = below[1];
        hist[total]++;
        idle += i;
        idleQ += i * total;
        sumSquares += squares;
        const u128 w = (u128)word(&s) * (uint64_t)n;
        uint64_t server = (uint64_t)(w >> 64);
        const int64_t arrive = (uint64_t)w < cut;
        const int64_t low = q[0];
        server = arrive ? 0 : server;
        const int64_t level = q[server] + arrive;
        const int64_t delta = level == 0 ? 0 : 2 * arrive - 1;
        const int64_t p = below[level] - arrive;
        const int64_t x = q[p];
        q[p] = x + delta;
        below[level] -= delta;
        total += delta;
        squares += delta * (2 * x + delta);
        joined += arrive * low;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    uint64_t check = 0;
    for (int64_t k = 0; k < room; k++) check = check * 1099511628211u + (uint64_t)hist[k];
    printf("%.9f %" PRId64 " %" PRId64 " %" PRIu64 "\n", (b.tv_sec - a.tv_sec) + 1e-9 * (b.tv_nsec - a.tv_nsec),
           total, idle, check);
    return (idleQ ^ sumSquares ^ joined) == 42; /* keep the sums alive */
}
