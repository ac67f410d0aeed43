// In front of every kernel, after the structs it shares with the host: types, conversions, the step block, the dependency
// wait. No toolkit header is needed.

typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;

#define DEVICE __device__ __forceinline__
#define INFINITE __int_as_float(0x7f800000)

// --- The step block (step.rs) ---

enum { STOP_NONE = 0, STOP_EOS = 1, STOP_LIMIT = 2, STOP_CANCELLED = 3, STOP_NOT_FINITE = 4 };
enum { KV_BLOCK = 256, MAX_EOS = 16 };

DEVICE const Seq* step_seq(const Header* h, u32 i) {
    return reinterpret_cast<const Seq*>(h + 1) + i;
}

DEVICE Row step_row(const Header* h, u32 r) {
    return reinterpret_cast<const Row*>(step_seq(h, h->seqs_cap))[r];
}

// The list of heads of a batch.
DEVICE const Head* step_heads(const Header* h, u32 heads_at) {
    return reinterpret_cast<const Head*>(reinterpret_cast<const u8*>(h) + heads_at);
}

// The row of head i: of a session's rows the last ones draw.
DEVICE u32 step_head_row(const Header* h, u32 i) {
    u32 at = h->heads_at;
    return at == 0 ? h->rows - h->head_rows + i : step_heads(h, at)[i].row;
}

// The same for reads before the wait: past the first cache, whose lines may be from before the last step's end.
DEVICE Row step_row_early(const Header* h, u32 r) {
    const Row* rows = reinterpret_cast<const Row*>(step_seq(h, __ldcg(&h->seqs_cap)));
    uint2 v = __ldcg(reinterpret_cast<const uint2*>(rows + r));
    return {v.x, v.y};
}

DEVICE u32 step_head_row_early(const Header* h, u32 i) {
    u32 at = __ldcg(&h->heads_at);
    if (at) return __ldcg(&step_heads(h, at)[i].row);
    return __ldcg(&h->rows) - __ldcg(&h->head_rows) + i;
}

// Loads that are issued where they stand. The compiler moves a plain load to where its value is needed, often after a
// branch on another load, and then the two follow each other.
DEVICE uint4 load_now(const uint4* p) {
    uint4 v;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
    return v;
}

DEVICE uint2 load_now(const uint2* p) {
    uint2 v;
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v.x), "=r"(v.y) : "l"(p) : "memory");
    return v;
}

DEVICE u32 load_now(const u32* p) {
    u32 v;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

// The header's first words and row r, which is below the rows that the table was built for.
struct Place {
    u32 rows, head_rows, seqs_cap, stop;
    Row row;
};

// Where the rows lie depends on the header; a block of one sequence is the usual one, so its row is read beside the
// header and not after it.
DEVICE Place step_place(const Header* h, u32 r) {
    uint4 a = load_now(reinterpret_cast<const uint4*>(h));
    uint2 b = load_now(reinterpret_cast<const uint2*>(step_seq(h, 1)) + r);
    Place p = {a.x, a.y, a.z, a.w, {b.x, b.y}};
    if (p.seqs_cap != 1) p.row = step_row(h, r);
    return p;
}

// --- Formats (dtype/mod.rs, act/mod.rs) ---

enum {
    DT_F32 = 0, DT_F16 = 1, DT_Q4_0 = 2, DT_Q4_1 = 3, DT_Q5_0 = 6, DT_Q5_1 = 7, DT_Q8_0 = 8, DT_Q2K = 10, DT_Q3K = 11,
    DT_Q4K = 12, DT_Q5K = 13, DT_Q6K = 14, DT_Q8K = 15, DT_IQ4_NL = 20, DT_IQ4_XS = 23, DT_BF16 = 30, DT_MXFP4 = 39,
    DT_NVFP4 = 40, DT_MXFP8 = 0xf00, DT_AFFINE = 0x1000,
};
// Parts of an affine format's id (dtype/affine.rs).
#define AFFINE_BITS(dtype) ((dtype) >> 4 & 15u)
#define AFFINE_GROUP(dtype) (32u << ((dtype) >> 1 & 7u))
#define AFFINE_BF16(dtype) (((dtype) & 1u) == 0)
enum { ACT_F32 = 0, ACT_Q8 = 1, ACT_BF16 = 2, ACT_F16 = 3 };
#define F16_SCALE (1.0f / 32.0f)

// Bytes of an activation row of k values: an odd number of 64-byte lines.
constexpr __host__ __device__ u32 act_row_bytes(u32 act, u32 k) {
    return (((act == ACT_F32 ? 4 * k : 2 * k) + 63) / 64 | 1) * 64;
}

DEVICE float f16_to_f32(u16 h) {
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
}

DEVICE u16 f32_to_f16(float f) {
    u16 h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
}

// Two values, the first in the low half.
DEVICE u32 f32_to_f16x2(float lo, float hi) {
    u32 r;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
    return r;
}

DEVICE u32 f32_to_bf16x2(float lo, float hi) {
    u32 r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(hi), "f"(lo));
    return r;
}

DEVICE float bf16_to_f32(u16 h) {
    return __uint_as_float((u32)h << 16);
}

DEVICE float bf16_low(u32 pair) {
    return __uint_as_float(pair << 16);
}

DEVICE float bf16_high(u32 pair) {
    return __uint_as_float(pair & 0xffff0000u);
}

DEVICE u16 f32_to_bf16(float f) {
    u16 h;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
}

// An activation as ACT_F16 keeps it.
DEVICE float f16_act(float v) {
    return fminf(fmaxf(v * F16_SCALE, -65504.0f), 65504.0f);
}

// Stores value i of an activation row.
template <u32 ACT>
DEVICE void store_act(u8* row, u32 i, float v) {
    if constexpr (ACT == ACT_F32) reinterpret_cast<float*>(row)[i] = v;
    if constexpr (ACT == ACT_BF16) reinterpret_cast<u16*>(row)[i] = f32_to_bf16(v);
    if constexpr (ACT == ACT_F16) reinterpret_cast<u16*>(row)[i] = f32_to_f16(f16_act(v));
}

// Stores values i to i + 3 of an activation row; i is a multiple of 4.
template <u32 ACT>
DEVICE void store_act4(u8* row, u32 i, float4 v) {
    if constexpr (ACT == ACT_F32) reinterpret_cast<float4*>(row)[i / 4] = v;
    if constexpr (ACT == ACT_BF16) {
        reinterpret_cast<uint2*>(row)[i / 4] = make_uint2(f32_to_bf16x2(v.x, v.y), f32_to_bf16x2(v.z, v.w));
    }
    if constexpr (ACT == ACT_F16) {
        reinterpret_cast<uint2*>(row)[i / 4] = make_uint2(f32_to_f16x2(f16_act(v.x), f16_act(v.y)), f32_to_f16x2(f16_act(v.z), f16_act(v.w)));
    }
}

// --- Loads ---

// 16 bytes of weights: read once, so they need no place in the first cache.
DEVICE uint4 load_weights(const void* p) {
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p));
    return v;
}

// --- Programmatic dependent launch ---

// Delays a block by a pseudo-random time; only in a test mode that looks for missing waits.
DEVICE void random_delay() {
#ifdef AKUNU_DELAY
    u32 clock = (u32)clock64();
    u32 h = (blockIdx.x * 2654435761u + blockIdx.y * 40503u) ^ (clock >> 3);
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    if ((h & 3u) == 0) {
        i64 until = clock64() + (i64)(h >> 18);
        while (clock64() < until) {}
    }
#endif
}

// Lets the next kernel start its prologue. Early, because its blocks wait for this one's end anyway.
DEVICE void launch_dependents() {
#if SM >= 90 && defined(AKUNU_OVERLAP)
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// The hint for copies of what a command reads once: the second cache (L2) may give it up first.
DEVICE u64 read_once() {
    u64 policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

// Waits until all earlier commands have ended and their writes are visible. Every thread of every block calls it
// before any write, before any read but of weights, and before it returns. A kernel that never comes after `advance` in a step may
// also read before it the step block, the block tables, and positions of the cache that earlier steps have written: only `advance` and the host
// write the former, and steps do not overlap.
DEVICE void wait_dependencies() {
#if SM >= 90 && defined(AKUNU_OVERLAP)
    random_delay();
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    random_delay();
}

// --- Reductions ---

DEVICE float warp_sum(float v) {
#pragma unroll
    for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}

DEVICE float warp_max(float v) {
#pragma unroll
    for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}

// Sum over a block, in every thread. `scratch` has 32 floats of shared memory that nobody else uses meanwhile.
DEVICE float block_sum(float v, float* scratch) {
    v = warp_sum(v);
    u32 warps = blockDim.x / 32;
    __syncthreads();
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
    __syncthreads();
    float t = threadIdx.x % 32 < warps ? scratch[threadIdx.x % 32] : 0.0f;
    return warp_sum(t);
}

// The better of two picks; the lower id wins ties, so the order of work does not matter. NaN never wins.
DEVICE Pick better(Pick a, Pick b) {
    return b.score > a.score || (b.score == a.score && b.token < a.token) ? b : a;
}

// A score as an unsigned number of the same order; both zeros are one score. Not for NaN.
DEVICE u32 score_order(float score) {
    u32 bits = __float_as_uint(score + 0.0f);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

// The best pick of a warp, in every lane.
DEVICE Pick warp_best(Pick p) {
    u32 order = score_order(p.score);
    u32 most = __reduce_max_sync(0xffffffffu, order);
    u32 token = __reduce_min_sync(0xffffffffu, order == most ? p.token : 0xffffffffu);
    Pick best = {__uint_as_float(most & 0x80000000u ? most & 0x7fffffffu : ~most), token};
    return best;
}

// Element offset of (position, KV head) in one layer's cache.
DEVICE u64 kv_offset(const u32* block_table, u32 kv_heads, u32 head_dim, u32 head, u32 pos) {
    return (((u64)block_table[pos / KV_BLOCK] * kv_heads + head) * KV_BLOCK + pos % KV_BLOCK) * head_dim;
}
