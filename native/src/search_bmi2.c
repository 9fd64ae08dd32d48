/* The search for processors with BMI2; never called on others. */
#include "internal.h"

#if !defined(BSDD_NO_BMI2) && defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("bmi,bmi2,popcnt,lzcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("bmi,bmi2,popcnt,lzcnt")
#endif
#include <immintrin.h>
#define NAME(x) x##_bmi2
#define PACKER(all) ((void)0)
#define PACK(x, all) _pext_u64(x, all)
#define UNPACK(x, all) _pdep_u64(x, all)
#include "search_impl.h"
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

int have_bmi2(void)
{
  __builtin_cpu_init();
  return __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
         __builtin_cpu_supports("lzcnt");
}
#else
int64_t search_bmi2(bsdd_context *c, const problem *p) { return search_generic(c, p); }
int have_bmi2(void) { return 0; }
#endif
