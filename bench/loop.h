/* What the loops in C share: CPU time, and random words by xoshiro256++ (Blackman and Vigna, ACM Transactions on Mathematical Software 47, 2021), or with -DPCG by
 * PCG-DXSM with 128 bits of state, the generator of jsqlib. */
#include <stdint.h>
#include <time.h>

typedef unsigned __int128 u128;

/* cpu gives the CPU seconds of this process. */
static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#ifdef PCG
typedef u128 rng;

static inline uint64_t word(rng *s) {
    const u128 mul = ((u128)2549297995355413924u << 64) | 4865540595714422341u;
    const u128 inc = ((u128)6364136223846793005u << 64) | 1442695040888963407u;
    *s = *s * mul + inc;
    uint64_t hi = (uint64_t)(*s >> 64), lo = (uint64_t)*s;
    hi ^= hi >> 32;
    hi *= 0xda942042e4dd58b5u;
    hi ^= hi >> 48;
    return hi * (lo | 1);
}

/* start gives the state of stream seed. */
static inline rng start(uint64_t seed) {
    rng s = ((u128)seed << 64) | 0x9e3779b97f4a7c15u;
    for (int i = 0; i < 8; i++) word(&s);
    return s;
}
#else
typedef struct { uint64_t a, b, c, d; } rng;

static inline uint64_t turn(uint64_t x, int k) { return x << k | x >> (64 - k); }

static inline uint64_t word(rng *s) {
    const uint64_t out = turn(s->a + s->d, 23) + s->a, t = s->b << 17;
    s->c ^= s->a;
    s->d ^= s->b;
    s->b ^= s->c;
    s->a ^= s->d;
    s->c ^= t;
    s->d = turn(s->d, 45);
    return out;
}

/* start gives the state of stream seed. */
static inline rng start(uint64_t seed) {
    rng s = {seed, 0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu};
    for (int i = 0; i < 32; i++) word(&s);
    return s;
}
#endif
