/* JSQ in discrete time, all arrivals of a slot to one shortest queue: every queue in every slot.
 *
 * Arrivals Binomial(2N, (1 - gap)/2) by an alias table. Services Binomial(2, 1/2): two bits of a random word a server,
 * spread over bytes by a table of 256 words, so that the compiler can vectorise the loops over queues.
 *
 * usage: dt SERVERS GAP SLOTS WARM SEED
 * prints: CPU seconds of all slots, slots, mean total over every N-th slot after the first WARM, and the means of the
 * unused service U, of U^2 and of U Q^+ over all slots, which jsqlib's engine counts as well */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop.h"

struct cell { double keep; int self, other; };

/* alias fills k cells for the law p of 0..k-1 (Vose). */
static void alias(struct cell *cells, double *p, int k) {
    int *small = malloc(sizeof(int) * (size_t)k), *large = malloc(sizeof(int) * (size_t)k), ns = 0, nl = 0;
    for (int i = 0; i < k; i++) {
        p[i] *= k;
        cells[i] = (struct cell){1, i, i};
        if (p[i] < 1) small[ns++] = i; else large[nl++] = i;
    }
    while (ns && nl) {
        const int a = small[--ns], b = large[nl - 1];
        cells[a] = (struct cell){p[a], a, b};
        p[b] -= 1 - p[a];
        if (p[b] < 1) { nl--; small[ns++] = b; }
    }
    free(small);
    free(large);
}

int main(int argc, char **argv) {
    if (argc != 6) return 2;
    const int n = atoi(argv[1]);
    const double gap = strtod(argv[2], 0), keep = (1 - gap) / 2;
    const int64_t slots = strtoll(argv[3], 0, 10), warm = strtoll(argv[4], 0, 10);
    rng s = start(strtoull(argv[5], 0, 10));
    const int wide = (n + 31) / 32 * 32, kinds = 2 * n + 1;
    int16_t *q = calloc((size_t)wide, sizeof *q);
    uint8_t *service = calloc((size_t)wide, 1);
    double *p = calloc((size_t)kinds, sizeof *p);
    struct cell *cells = calloc((size_t)kinds, sizeof *cells);
    if (!q || !service || !p || !cells || n < 1 || n > 8000 || warm >= slots) return 1;
    for (int a = 0; a < kinds; a++)
        p[a] = exp(lgamma(2 * n + 1) - lgamma(a + 1) - lgamma(2 * n - a + 1) + a * log(keep) + (2 * n - a) * log1p(-keep));
    alias(cells, p, kinds);
    uint32_t four[256]; /* services of four servers from eight bits */
    for (unsigned b = 0; b < 256; b++) {
        uint8_t x[4];
        for (unsigned i = 0; i < 4; i++) x[i] = (uint8_t)((b >> (2 * i) & 1) + (b >> (2 * i + 1) & 1));
        memcpy(&four[b], x, 4);
    }
    for (int i = n; i < wide; i++) q[i] = INT16_MAX; /* never the shortest */
    double sum = 0, unused_total = 0;
    int64_t looks = 0, next = warm, unused = 0, unused2 = 0;
    const double begin = cpu();
    for (int64_t k = 0; k < slots; k++) {
        if (k == next) {
            int64_t total = 0;
            for (int i = 0; i < n; i++) total += q[i];
            sum += (double)total;
            looks++;
            next += n;
        }
        int16_t low = INT16_MAX;
        for (int i = 0; i < wide; i++) low = q[i] < low ? q[i] : low;
        int join = 0;
        while (q[join] != low) join++;
        const u128 w = (u128)word(&s) * (unsigned)kinds;
        const struct cell *c = &cells[(uint64_t)(w >> 64)];
        q[join] = (int16_t)(q[join] + ((double)((uint64_t)w >> 11) * 0x1p-53 < c->keep ? c->self : c->other));
        for (int i = 0; i < wide; i += 32) {
            uint64_t bits = word(&s);
            for (int j = 0; j < 32; j += 4, bits >>= 8) memcpy(service + i + j, &four[bits & 255], 4);
        }
        int32_t missed = 0, total = 0;
        for (int i = n; i < wide; i++) q[i] = 2; /* as much as the service may take, so that none is missed */
        for (int i = 0; i < wide; i++) {
            const int16_t x = (int16_t)(q[i] - service[i]), u = x < 0 ? (int16_t)-x : 0;
            q[i] = (int16_t)(x + u);
            missed += u;
        }
        for (int i = n; i < wide; i++) q[i] = INT16_MAX;
        if (missed) { /* q^+ u = 0, but the total of all queues weighs U */
            for (int i = 0; i < n; i++) total += q[i];
            unused += missed;
            unused2 += (int64_t)missed * missed;
            unused_total += (double)missed * total;
        }
    }
    printf("%.9f %" PRId64 " %.17g %.17g %.17g %.17g\n", cpu() - begin, slots, sum / (double)looks, (double)unused / (double)slots,
           (double)unused2 / (double)slots, unused_total / (double)slots);
    return 0;
}
