/* The continuous-time JSQ chain of ctengine.go, step for step and bit for bit:
 * uniformised, O(1) and half a random word a step. Built by the benchmark
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

/* decide returns the server of the uniform number u 2^-32 times n, or -1 for an arrival; where 32 bits do not tell,
 * another word follows them. */
static inline int64_t decide(uint64_t u, uint64_t n, uint64_t cut, u128 *s) {
    const uint64_t x = u * n;
    const uint32_t fraction = (uint32_t)x, top = (uint32_t)(cut >> 32);
    if (__builtin_expect((top - fraction < n) | (-fraction < n), 0)) {
        const u128 y = (u128)word(s) * n;
        const uint64_t hi = (uint64_t)(y >> 64) + x;
        return (hi << 32 | (uint64_t)y >> 32) < cut ? -1 : (int64_t)(hi >> 32);
    }
    return (int64_t)(x >> 32) | -(int64_t)(fraction < top); /* no jumps: compilers take the ternary operator for one */
}

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
    int64_t events[256];
    for (int64_t k = 0; k < steps; k++) {
        if (k % 256 == 0)
            for (int64_t j = 0; j < 256; j += 2) {
                const uint64_t w = word(&s);
                events[j] = decide(w >> 32, (uint64_t)n, cut, &s);
                events[j + 1] = decide(w & UINT32_MAX, (uint64_t)n, cut, &s);
            }
        const int64_t event = events[k % 256];
        const int64_t i = below[1];
        hist[total]++;
        idle += i;
        idleQ += i * total;
        sumSquares += squares;
        const int64_t arrive = (int64_t)((uint64_t)event >> 63);
        const int64_t low = q[0];
        const int64_t level = q[event & ~(event >> 63)] + arrive;
        const int64_t delta = (2 * arrive - 1) & -(int64_t)(level != 0);
        const int64_t p = below[level] - arrive;
        const int64_t x = level - arrive; /* = q[p] */
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
