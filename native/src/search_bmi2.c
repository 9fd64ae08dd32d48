/* The search for processors with BMI2; never called on others. */
#include "internal.h"

#if !defined(BSDD_NO_BMI2) && defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <cpuid.h>
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,popcnt,lzcnt")
#endif
#include <immintrin.h>
#define NAME(x) x##_bmi2
#define PACKER(all) ((void)0)
#define PACK(x, all) _pext_u64(x, all)
#define UNPACK(x, all) _pdep_u64(x, all)
#define MATCH_START(lo, hi) const __m256i all_lo = _mm256_set1_epi64x((long long)(lo)), all_hi = _mm256_set1_epi64x((long long)(hi))
#define MATCH(g, lo, hi) match_four(g, all_lo, all_hi)

static inline __attribute__((always_inline)) u32 match_four(const group *g, __m256i lo, __m256i hi)
{
  __m256i differ = _mm256_or_si256(_mm256_xor_si256(lo, _mm256_loadu_si256((const __m256i *)(const void *)g->lo)),
                                   _mm256_xor_si256(hi, _mm256_loadu_si256((const __m256i *)(const void *)g->hi)));
  __m256i matter = _mm256_and_si256(differ, _mm256_loadu_si256((const __m256i *)(const void *)g->mask));
  return (u32)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(matter, _mm256_setzero_si256())));
}

#include "search_impl.h"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

int have_bmi2(void)
{
  unsigned a, b, c, d;
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt") && __get_cpuid(0x80000001, &a, &b, &c, &d) && (c >> 5 & 1); /* LZCNT */
}
#else
int64_t search_bmi2(bsdd_context *c, const problem *p) { return search_generic(c, p); }
int have_bmi2(void) { return 0; }
#endif
