/* What the kernels use of Metal's standard library, in C for clang: C, since a struct may be copied from one address space to another
   there. Each of Metal's address spaces is one of clang's, so a pointer of one is no pointer of another. */
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

typedef uint8_t uchar;
typedef uint16_t ushort;
typedef uint32_t uint;
typedef unsigned long ulong;
typedef _Float16 half;
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef float packed_float2 __attribute__((ext_vector_type(2), aligned(4)));
typedef float packed_float4 __attribute__((ext_vector_type(4), aligned(4)));
typedef uint uint2 __attribute__((ext_vector_type(2)));
typedef uint uint3 __attribute__((ext_vector_type(3)));
typedef uint uint4 __attribute__((ext_vector_type(4)));
typedef uint packed_uint2 __attribute__((ext_vector_type(2), aligned(4)));
typedef uint packed_uint4 __attribute__((ext_vector_type(4), aligned(4)));
typedef uint atomic_uint;

static void barrier(uint line);
static uint fails_now(void);
static void *shared_memory(uint bytes);

#define device __attribute__((address_space(1)))
#define constant const __attribute__((address_space(2)))
#define threadgroup __attribute__((address_space(3)))
#define thread

/* Conversions as calls. A name that no parenthesis follows stays as it is. */
#define uchar(x) ((uchar)(x))
#define ushort(x) ((ushort)(x))
#define uint(x) ((uint)(x))
#define ulong(x) ((ulong)(x))
#define int(x) ((int)(x))
#define float(x) ((float)(x))
#define OF_COUNT(a, b, c, d, name, ...) name
#define float2_of_1(a) ((float2)(a))
#define float2_of_2(a, b) ((float2){(a), (b)})
#define float2(...) OF_COUNT(__VA_ARGS__, no, no, float2_of_2, float2_of_1)(__VA_ARGS__)
#define float4_of_1(a) ((float4)(a))
#define float4_of_4(a, b, c, d) ((float4){(a), (b), (c), (d)})
#define float4(...) OF_COUNT(__VA_ARGS__, float4_of_4, no, no, float4_of_1)(__VA_ARGS__)
#define uint2(a) ((uint2)(a))
#define uint4(a) ((uint4)(a))
#define packed_float2(a) ((packed_float2)(a))

#define as_type_uint(x) (((union { float from; uint to; }){.from = (x)}).to)
// Of a float or a uint.
#define as_type_int(x) ({ __auto_type as_type_from = (x); int as_type_to; __builtin_memcpy(&as_type_to, &as_type_from, 4); as_type_to; })
#define as_type_half(x) (((union { ushort from; half to; }){.from = (x)}).to)
#define as_type_float(x) (((union { uint from; float to; }){.from = (x)}).to)

#define EACH static inline __attribute__((overloadable, always_inline))
EACH uint min(uint a, uint b) { return a < b ? a : b; }
EACH uint max(uint a, uint b) { return a > b ? a : b; }
EACH ulong min(ulong a, ulong b) { return a < b ? a : b; }
EACH ulong max(ulong a, ulong b) { return a > b ? a : b; }
EACH int min(int a, int b) { return a < b ? a : b; }
EACH int max(int a, int b) { return a > b ? a : b; }
EACH float min(float a, float b) { return __builtin_fminf(a, b); }
EACH float max(float a, float b) { return __builtin_fmaxf(a, b); }
EACH uint select(uint a, uint b, bool second) { return second ? b : a; }
EACH int select(int a, int b, bool second) { return second ? b : a; }
EACH float select(float a, float b, bool second) { return second ? b : a; }
EACH float clamp(float v, float low, float high) { return min(max(v, low), high); }
EACH float abs(float v) { return __builtin_fabsf(v); }
EACH float floor(float v) { return __builtin_floorf(v); }
EACH float round(float v) { return __builtin_roundf(v); }
EACH float rint(float v) { return __builtin_rintf(v); }
EACH float sqrt(float v) { return __builtin_sqrtf(v); }
EACH float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
EACH bool isnan(float v) { return v != v; }
EACH uint clz(uint v) { return v == 0 ? 32 : (uint)__builtin_clz(v); }

enum { mem_none = 0, mem_device = 1, mem_threadgroup = 2 };
#define threadgroup_barrier(flags) barrier(__LINE__)

/* One thread of the process runs a threadgroup, and fibres give way at barriers alone, so plain accesses are atomic. */
enum { memory_order_relaxed };
#define ATOMIC(name, after)                                                                                            \
    EACH uint name(atomic_uint threadgroup *at, uint v, int order) {                                                   \
        uint was = *at;                                                                                                \
        *at = (after);                                                                                                 \
        return was;                                                                                                    \
    }
ATOMIC(atomic_fetch_add_explicit, was + v)
ATOMIC(atomic_fetch_or_explicit, was | v)
ATOMIC(atomic_fetch_min_explicit, min(was, v))
ATOMIC(atomic_fetch_max_explicit, max(was, v))

/* A weak exchange may fail although it finds what it expects: here every third one does. */
EACH bool atomic_compare_exchange_weak_explicit(atomic_uint threadgroup *at, uint *expected, uint v, int good, int bad) {
    if (*at != *expected || fails_now()) {
        *expected = *at;
        return false;
    }
    *at = v;
    return true;
}
