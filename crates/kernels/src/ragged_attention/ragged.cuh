// ragged_attention and rope_kv_ragged_attention: rows of many sequences, each at a position of its own.
//
// A block takes one row (and the rows after it that go on in its sequence, as far as 16 queries reach) and one KV head at a time.
// Warp w takes every tile of 16 positions whose number is w, counted by fours, from a ring of its own: products on matrix units, the
// softmax kept up to date from tile to tile. At the end the block adds the four warps' sums up in order. So a row's bits follow
// from its own queries and positions alone: what a row does not see of a tile leaves its sums as they are.
//
// Positions are the rows of the products, then elements of a head, and queries their columns: a row of its own has few queries, often
// four, and columns come by eights where rows would be sixteen. That halves the products, the softmax and the sums, and
// saves energy: with many sequences a card is at its power cap.
//
// A block's first tiles are on their way before the commands before this one have ended: where a sequence has one row, what came
// before it in the cache was written by earlier steps, and so were the step block and the block table, which only a step's last
// command writes. With FUSED this holds for every sequence.
//
// In tables of so few rows that each item has a multiprocessor for itself, a warp takes two of its tiles in a turn, one after the other
// but for their scores: twice as many tiles are on their way before the wait. The bits are the same.
//
// Tried without gain there: an item for two blocks of a cluster, half of the warps' tiles each, whether both wait for each other or one
// sends its sums and ends (alone the command then takes a fifth less, in a step nothing); eight warps with half as many tiles each; three
// tiles in a turn; keys and values of a tile in registers before its products; copies without the test for the last positions.
// And in all tables: the next item's first tiles under way while this one's sums are added up (the other blocks of the multiprocessor hide that).
//
// With FUSED, queries and keys come as the product left them. They are rotated here, and the step's keys and values go to the cache. Blocks
// do not wait for each other: a block takes the keys and values that this step adds to its sequence (in a sequence with one row, its own)
// from the product, too, and never reads them from the cache. Each row's are stored by the block that has the row. A sequence's rows
// stand together, at consecutive positions. The bits are those of rope_kv and ragged_attention.
//
// With BOXES the tensor copy engine brings tiles: one lane asks for whole ones, where all lanes would work out addresses for 16 bytes each.
// It brings what lies in a tile beyond the last position, too. Keys there are not seen; values are cleared (of codes, their scales count as
// 0), since 0 times what lies there may not be 0. What it reads before the wait was stored by earlier steps, all of whose commands have ended
// before this step's first one begins.
//
// Codes of q8_0 become fragments without a way through shared memory: of 16 columns a lane takes four neighbouring ones of a key (and queries
// are loaded so, too), and of values, whose pairs of columns come transposed, the even columns are the first eight rows of a product.
//
// Defines: TURN (tiles of a warp's turn, 1 or 2), RING (turns of a warp that there is room for), RESIDENT (blocks of a multiprocessor), SHARED, FUSED,
// BOXES.

constexpr u32 HD = C_HEAD_DIM, GROUP = C_HEADS / C_KV_HEADS, WARPS = 4, TILE = 16;
// Rows that an item's queries come from, and items of a row. An item has at most QUERIES.
constexpr u32 SIDE = GROUP >= 16 ? 1 : 16 / GROUP, PARTS = (GROUP + 15) / 16, QUERIES = PARTS > 1 ? 16 : SIDE * GROUP;
constexpr u32 OUT_ROW = act_row_bytes(C_ACT, C_HEADS * HD), IN_ROW = (C_HEADS + 2 * C_KV_HEADS) * HD;
constexpr bool K_CODES = C_K_TYPE == KV_Q8_0, V_CODES = C_V_TYPE == KV_Q8_0;
// Rows of a tile in shared memory are an odd number of 16 bytes apart, so that matrix loads touch every bank once. With BOXES a tile is
// panels of 64 columns, in rows of 128 bytes whose pieces of 16 are swapped by the row number.
constexpr u32 STRIDE = BOXES ? 128 : 2 * HD + 16, PANEL = TILE * 128, TILE_BYTES = BOXES ? HD / 64 * PANEL : TILE * STRIDE;
// A tile of codes: with BOXES lines of 128 bytes, swizzled, else padded rows. Its scales.
constexpr u32 CODE_ROW = BOXES ? HD : HD + 16, CODE_BYTES = TILE * CODE_ROW, SCALE_BYTES = TILE * HD / 16;
constexpr u32 K_STAGE = K_CODES ? CODE_BYTES : TILE_BYTES, V_STAGE = V_CODES ? CODE_BYTES : TILE_BYTES, STAGE = K_STAGE + V_STAGE;
// Scales lie after the tiles of all stages, those of keys first.
constexpr u32 V_SCALES = K_CODES * SCALE_BYTES, SCALES = V_SCALES + V_CODES * SCALE_BYTES;
// Sums of a warp: maxima and sums of 16 queries, and their values in rows an odd number of 16 bytes apart.
constexpr u32 SUM_ROW = 4 * HD + 16, SUM_BYTES = 128 + 16 * SUM_ROW;
constexpr u32 RING_BYTES = RING * TURN * (STAGE + SCALES) > SUM_BYTES ? RING * TURN * (STAGE + SCALES) : SUM_BYTES;
constexpr u32 WARP_BYTES = BOXES ? (RING_BYTES + 1023) / 1024 * 1024 : RING_BYTES;
static_assert(!BOXES || (HD % 64 == 0 && WARP_BYTES % 1024 == 0 && K_STAGE % 1024 == 0), "whole panels, where the swizzle begins");
static_assert(!BOXES || !(K_CODES || V_CODES) || (HD & (HD - 1)) == 0, "rows of codes begin or end with lines");
// With BOXES also barriers, one for each turn of a ring, and room to align the tiles.
static_assert(HD % 16 == 0 && WARPS * WARP_BYTES + BOXES * (1024 + WARPS * RING * TURN * 8) == SHARED, "as ragged_attention/mod.rs says");

// Where byte `byte` of a tile's row lies, and the half at byte 0 or 16 of its `k`-th 32 bytes.
DEVICE u32 place_in(u32 tile, u32 row, u32 byte) {
    if constexpr (BOXES) return tile + byte / 128 * PANEL + row * 128 + (byte % 128 ^ row % 8 * 16);
    return tile + row * STRIDE + byte;
}

DEVICE u32 half_in(u32 tile, u32 row, u32 k, u32 half) {
    if constexpr (BOXES) return tile + k / 4 * PANEL + row * 128 + (k % 4 * 32 ^ half ^ row % 8 * 16);
    return tile + row * STRIDE + 32 * k + half;
}

// Where byte `byte` of a row of codes lies in a tile.
DEVICE u32 code_in(u32 row, u32 byte) {
    u32 at = row * CODE_ROW + byte;
    return BOXES ? at ^ (at / 128 % 8 * 16) : at;
}

// The place `columns` (a multiple of 16) columns after one that lies in the first 16 (of keys) or 32 (of values) of its row: as code_in has it,
// without working out a lane's place anew.
DEVICE u32 code_after(u32 at, u32 columns) {
    return BOXES ? at ^ (columns ^ columns / 128 * 16) : at + columns;
}

// Products of 16-bit operands, as the format of the cache side has them.
template <u32 TYPE>
DEVICE void mma_as(float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    if constexpr (TYPE == KV_BF16) mma_bf16(c, a, b0, b1);
    else mma(c, a, b0, b1);
}

// Starts a warp's copies of one side's tile, and of its scales where it has codes. Elements of 16 bits of positions from `valid` on are zero, since
// what lies there may not be a number; codes are copied as they are, and position_scales makes their scales zero.
template <u32 TYPE>
DEVICE void load_tile(u32 to, u32 scales_to, const u8* cache, u64 slot, u32 valid) {
    u32 lane = threadIdx.x % 32;
    const u8* values = kv_values<TYPE>(cache, slot);
    if constexpr (TYPE == KV_Q8_0) {
        constexpr u32 PIECES = HD / 16;
        const u8* scales = kv_scales(cache, slot);
#pragma unroll
        for (u32 j = 0; j < TILE * PIECES / 32; j++) {
            u32 i = lane + 32 * j;
            copy_async_once(to + code_in(i / PIECES, i % PIECES * 16), values + 16 * i, 16);
        }
        if (lane < PIECES) copy_async_once(scales_to + 16 * lane, scales + 16 * lane, 16);
    } else {
        constexpr u32 PIECES = HD / 8;
#pragma unroll
        for (u32 j = 0; j < TILE * PIECES / 32; j++) {
            u32 i = lane + 32 * j, row = i / PIECES, piece = i % PIECES;
            copy_async_once(place_in(to, row, 16 * piece), values + 16 * i, row < valid ? 16 : 0);
        }
    }
}

// A warp's sums of 8 SETS queries. Of each set a lane has queries 2 (lane % 4) and the next one. o[d][set] has their elements 16 d + lane / 4,
// then those eight further; with V_CODES 16 d + lane / 4 * 2, then the next ones. `sum` is of the lane's own positions.
template <u32 SETS>
struct Sums {
    float o[HD / 16][SETS][4], max[SETS][2], sum[SETS][2];
};

// The rows of a block's item. `old` positions of its sequence are in the cache: all where FUSED is not set.
struct Item {
    u32 row, count, head, part, pos, old;
    const u32* table;

    // Rows whose keys and values this block stores.
    DEVICE u32 stores() const { return part == 0 ? count : 0; }
    DEVICE u32 queries() const { return PARTS > 1 ? min(GROUP - part * 16, 16u) : count * GROUP; }
};

#if FUSED
// Floats of a row's angles.
constexpr u32 ANGLES = 2 * C_PAIRS;
#else
constexpr u32 ANGLES = 0;
#endif

// What a step computes with. `angles` are not there where FUSED is not set, nor maps where BOXES is not.
struct Inputs {
    const float *qkv, *angles;
    u8 *k_cache, *v_cache;
    float factor;
    const TensorMap *k_map, *v_map;
};

#if BOXES
#define RAGGED_MAPS , const __grid_constant__ TensorMap k_map, const __grid_constant__ TensorMap v_map
#define RAGGED_MAP_NAMES &k_map, &v_map
#else
#define RAGGED_MAPS
#define RAGGED_MAP_NAMES nullptr, nullptr
#endif

// Waits for the commands before this one. What they wrote to the caches the copy engine reads by another path, which the wait alone does not
// order.
DEVICE void ragged_wait() {
    wait_dependencies();
    if constexpr (BOXES) asm volatile("fence.proxy.async.global;" ::: "memory");
}

// A query of a lane as it lies in its fragments, rotated: its elements [k][j] are 16 k + 8 j + 2 (lane % 4) and the next one, with K_CODES
// 16 k + 4 (lane % 4) + 2 j and the next one. All reads are under way together.
DEVICE void load_query(float2 (&x)[HD / 16][2], const float* from, const float* angles) {
    if constexpr (K_CODES) {
#pragma unroll
        for (u32 k = 0; k < HD / 16; k++) {
            float4 v = __ldcg(reinterpret_cast<const float4*>(from + k * 16) + threadIdx.x % 4);
            x[k][0] = make_float2(v.x, v.y), x[k][1] = make_float2(v.z, v.w);
        }
        return;
    }
    u32 t = threadIdx.x % 4 * 2;
#pragma unroll
    for (u32 k = 0; k < HD / 16; k++) {
#pragma unroll
        for (u32 j = 0; j < 2; j++) x[k][j] = __ldcg(reinterpret_cast<const float2*>(from + k * 16 + j * 8 + t));
    }
#if FUSED
    if constexpr (C_PAIRING == 1 && C_PAIRS % 16 == 0) {
        // The other half of each pair is in the same lane, so many fragments further.
        constexpr u32 APART = C_PAIRS / 16;
        float4 turns[APART + 1][2];
#pragma unroll
        for (u32 k = 0; k < APART; k++) {
#pragma unroll
            for (u32 j = 0; j < 2; j++) turns[k][j] = reinterpret_cast<const float4*>(angles)[(k * 16 + j * 8 + t) / 2];
        }
#pragma unroll
        for (u32 k = 0; k < APART; k++) {
#pragma unroll
            for (u32 j = 0; j < 2; j++) {
                float2 &a = x[k][j], &b = x[k + APART][j];
                float2 first = turn({a.x, b.x, make_float2(turns[k][j].x, turns[k][j].y)});
                float2 second = turn({a.y, b.y, make_float2(turns[k][j].z, turns[k][j].w)});
                a = make_float2(first.x, second.x), b = make_float2(first.y, second.y);
            }
        }
    } else {
        float2 turned[HD / 16][2];
#pragma unroll
        for (u32 k = 0; k < HD / 16; k++) {
#pragma unroll
            for (u32 j = 0; j < 2; j++) turned[k][j] = turned_two(from, x[k][j], k * 16 + j * 8 + t, angles);
        }
#pragma unroll
        for (u32 k = 0; k < HD / 16; k++) x[k][0] = turned[k][0], x[k][1] = turned[k][1];
    }
#endif
}

// Queries as columns of mma.m16n8k16 straight from memory, times the factor.
template <u32 SETS>
DEVICE void load_queries(u32 (&q)[HD / 16][SETS][2], const Item& item, const Inputs& in) {
    u32 queries = item.queries();
#pragma unroll
    for (u32 set = 0; set < SETS; set++) {
        u32 i = threadIdx.x % 32 / 4 + 8 * set, r = PARTS > 1 ? 0 : i / GROUP, g = PARTS > 1 ? item.part * 16 + i : i % GROUP;
        // A query that is not there is read as the first one, and is zero.
        bool inside = i < queries;
        u32 row = item.row + (inside ? r : 0), head = item.head * GROUP + (inside ? g : 0);
        float2 x[HD / 16][2];
        load_query(x, in.qkv + (u64)row * IN_ROW + head * HD, in.angles + (u64)row * ANGLES);
#pragma unroll
        for (u32 k = 0; k < HD / 16; k++) {
#pragma unroll
            for (u32 j = 0; j < 2; j++) {
                float2 v = inside ? x[k][j] : make_float2(0.0f, 0.0f);
                q[k][set][j] = to_16x2<C_K_TYPE>(v.x * in.factor, v.y * in.factor);
            }
        }
    }
}

#if FUSED
static_assert(!K_CODES && !V_CODES, "codes have a scale for each 32 elements, which no lane has alone");

// Keys and values of COUNT neighbouring rows for one KV head, as the product left them.
template <u32 COUNT>
struct Fresh {
    // Pairs of a lane.
    static constexpr u32 EACH = (HD / 2 + 31) / 32;
    Unturned keys[COUNT][EACH];
    float2 values[COUNT][EACH];

    // Of the first `count` rows from `row` on.
    DEVICE void load(const Inputs& in, u32 row, u32 head, u32 count) {
#pragma unroll
        for (u32 c = 0; c < COUNT; c++) {
            const float* from = in.qkv + (u64)(row + c) * IN_ROW + (C_HEADS + head) * HD;
#pragma unroll
            for (u32 j = 0; j < EACH; j++) {
                u32 i = j * 32 + threadIdx.x % 32;
                if (c >= count || i >= HD / 2) continue;
                keys[c][j] = load_pair(pair_of(i), i, from, in.angles + (u64)(row + c) * ANGLES);
                values[c][j] = __ldcg(reinterpret_cast<const float2*>(from + C_KV_HEADS * HD) + i);
            }
        }
    }

    // Rotated, into rows of a tile in shared memory, from `at` on; those from `own` up to `own_end` also into the cache, where the first row's
    // slot is `slot`.
    DEVICE void put(u32 keys_at, u32 values_at, u32 at, const Inputs& in, u64 slot, u32 count, u32 own, u32 own_end) const {
#pragma unroll
        for (u32 c = 0; c < COUNT; c++) {
#pragma unroll
            for (u32 j = 0; j < EACH; j++) {
                u32 i = j * 32 + threadIdx.x % 32;
                if (c >= count || i >= HD / 2) continue;
                Pair p = pair_of(i);
                float2 y = turn(keys[c][j]);
                u16 first = to_16<C_K_TYPE>(y.x), second = to_16<C_K_TYPE>(y.y);
                u32 v = to_16x2<C_V_TYPE>(values[c][j].x, values[c][j].y);
                asm volatile("st.shared.u16 [%0], %1;" ::"r"(place_in(keys_at, at + c, 2 * p.first)), "h"(first) : "memory");
                asm volatile("st.shared.u16 [%0], %1;" ::"r"(place_in(keys_at, at + c, 2 * p.second)), "h"(second) : "memory");
                asm volatile("st.shared.u32 [%0], %1;" ::"r"(place_in(values_at, at + c, 4 * i)), "r"(v) : "memory");
                if (c < own || c >= own_end) continue;
                u16* to = reinterpret_cast<u16*>(kv_values<C_K_TYPE>(in.k_cache, slot + c));
                to[p.first] = first;
                to[p.second] = second;
                reinterpret_cast<u32*>(kv_values<C_V_TYPE>(in.v_cache, slot + c))[i] = v;
            }
        }
    }
};

// Rows of a tile that are put together: what they load is under way at the same time.
constexpr u32 TOGETHER = 4;

// Puts the keys and values that this step adds, from position `from` up to `last`, into their rows of the tile that begins at position `t`,
// whose first slot is `slot`. By itself, since most steps add one position to a sequence, and those should not lack the registers.
__device__ __noinline__ void put_several(Item item, Inputs in, u32 t, u64 slot, u32 from, u32 last, u32 keys_at, u32 values_at) {
    for (u32 pos = from; pos < last; pos += TOGETHER) {
        Fresh<TOGETHER> some;
        u32 count = min(last - pos, TOGETHER), at = pos - t, ahead = item.pos > pos ? item.pos - pos : 0;
        some.load(in, item.row - item.pos + pos, item.head, count);
        // Rows of the item begin `ahead` further on, or before.
        u32 own_end = item.pos + item.stores() > pos ? item.pos + item.stores() - pos : 0;
        some.put(keys_at, values_at, at, in, slot + at, count, ahead, own_end);
    }
}

// All that this step adds to the tile, up to position `end`. `own` is used where the item is one row, the first one of its sequence in this step.
DEVICE void put_fresh(const Item& item, const Inputs& in, const Fresh<1>& own, u32 t, u32 end, u32 keys_at, u32 values_at) {
    u64 slot = ((u64)__ldg(item.table + t / KV_BLOCK) * C_KV_HEADS + item.head) * KV_BLOCK + t % KV_BLOCK;
    if (item.old == item.pos && item.count == 1) {
        u32 at = item.pos - t;
        own.put(keys_at, values_at, at, in, slot + at, 1, 0, item.stores());
    } else {
        put_several(item, in, t, slot, max(item.old, t), min(end, t + TILE), keys_at, values_at);
    }
    __syncwarp();
}
#endif

// Keys of codes: columns 16 k to 16 k + 15 of a tile as rows of a product. `at` is where this lane's codes of the first ones lie. `scales` is of two
// groups, of this lane's first row and its other one.
DEVICE void key_codes(u32 (&a)[4], u32 at, u32 scales_from, u32 k, u32 (&scales)[2]) {
    // With lines of 128 bytes, what swizzles them differs eight rows further where those are four lines.
    constexpr u32 FLIP = BOXES ? 8 * HD / 128 % 8 * 16 : 0;
#pragma unroll
    for (u32 half = 0; half < 2; half++) {
        u32 codes;
        if (k % 4 == 0) scales[half] = scales_at(scales_from, threadIdx.x % 32 / 4 + 8 * half, k / 4);
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(codes) : "r"((code_after(at, 16 * k) ^ half * FLIP) + half * 8 * CODE_ROW) : "memory");
        uint2 v = kv_widen_key(codes, scales[half], k);
        a[half] = v.x, a[2 + half] = v.y;
    }
}

// Values of codes: columns 32 m to 32 m + 31 of a tile, transposed, of which the even ones of 16 are a product's first eight rows. `at` is where
// the row of matrices lies that this lane reads first. `scales` is of two groups, `valid` as position_scales has it.
DEVICE void value_codes(u32 (&a)[2][4], u32 at, u32 scales_from, u32 m, u32 valid, u32 (&scales)[2][2]) {
    if (m % 2 == 0) position_scales(scales, scales_from, 0, m / 2, valid);
    // Of both columns 16 apart, positions 0 to 7 and 8 to 15: two columns at one position, then at the next one.
    u32 codes[4];
    load_matrices_transposed(codes, code_after(at, 32 * m));
#pragma unroll
    for (u32 n = 0; n < 4; n++) {
        uint2 v = kv_widen_values(codes[n], scales[n % 2][m % 2]);
        a[n / 2][n % 2 * 2] = v.x, a[n / 2][n % 2 * 2 + 1] = v.y;
    }
}

// Adds COUNT tiles, one after the other, WARPS tiles apart, the first of which begins at position `t`. `pos` are the positions of
// this lane's queries, `keys` and `values` where the tiles lie, `scales` where their scales do. `whole`: every query sees all of them. Positions
// from `end` on are not there.
template <u32 COUNT, u32 SETS>
DEVICE void add_tiles(Sums<SETS>& s, const u32 (&q)[HD / 16][SETS][2], const i32 (&pos)[SETS][2], u32 t, u32 end, bool whole,
                      const u32 (&keys)[COUNT], const u32 (&values)[COUNT], const u32 (&scales)[COUNT]) {
    u32 lane = threadIdx.x % 32;
    u32 k_row = lane % 16, k_half = lane / 16 * 16, v_row = lane / 16 * 8 + lane % 8, v_half = lane / 8 % 2 * 16;
    [[maybe_unused]] const u32 key_code = code_in(lane / 4, lane % 4 * 4), value_code = code_in(lane % 16, lane / 16 * 16);
    // Scores of positions lane / 4 and eight further: two queries of each set.
    float x[COUNT][SETS][4] = {};
    [[maybe_unused]] u32 key_scales[COUNT][2];
#pragma unroll
    for (u32 k = 0; k < HD / 16; k++) {
#pragma unroll
        for (u32 c = 0; c < COUNT; c++) {
            u32 a[4];
            if constexpr (K_CODES) key_codes(a, keys[c] + key_code, scales[c], k, key_scales[c]);
            else load_matrices(a, half_in(keys[c], k_row, k, k_half));
#pragma unroll
            for (u32 set = 0; set < SETS; set++) mma_as<C_K_TYPE>(x[c][set], a, q[k][set][0], q[k][set][1]);
        }
    }
    float top[COUNT][SETS][2];
    bool raises = false;
#pragma unroll
    for (u32 n = 0; n < COUNT * SETS * 2; n++) {
        u32 c = n / (SETS * 2), set = n / 2 % SETS, i = n % 2;
        float &a = x[c][set][i], &b = x[c][set][2 + i];
        a = capped(a), b = capped(b);
        if (!whole) {
            i32 back = pos[set][i] - (i32)(t + c * WARPS * TILE + lane / 4);
            if (back < 0 || (C_WINDOW != 0 && back >= (i32)C_WINDOW)) a = -INFINITE;
            if (back < 8 || (C_WINDOW != 0 && back >= (i32)C_WINDOW + 8)) b = -INFINITE;
        }
        top[c][set][i] = fmaxf(a, b);
        raises = raises || top[c][set][i] > s.max[set][i];
    }
    // Where no query has a new maximum, it need not be found, and the products by 1 are left out.
    bool raised = __any_sync(0xffffffffu, raises);
    float scale[COUNT][SETS][2];
    if (raised) {
#pragma unroll
        for (u32 far = 4; far <= 16; far *= 2) {
#pragma unroll
            for (u32 c = 0; c < COUNT; c++) {
#pragma unroll
                for (u32 i = 0; i < 2 * SETS; i++) {
                    float& v = top[c][i / 2][i % 2];
                    v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, far));
                }
            }
        }
    }
    u32 p[COUNT][SETS][2];
#pragma unroll
    for (u32 c = 0; c < COUNT; c++) {
#pragma unroll
        for (u32 set = 0; set < SETS; set++) {
#pragma unroll
            for (u32 i = 0; i < 2; i++) {
                float max = raised ? fmaxf(s.max[set][i], top[c][set][i]) : s.max[set][i];
                // A query with nothing visible yet must not subtract infinities.
                float zero = max == -INFINITE ? 0.0f : max;
                scale[c][set][i] = raised ? exp2_fast(s.max[set][i] - zero) : 1.0f;
                s.max[set][i] = max;
                float a = exp2_fast(x[c][set][i] - zero), b = exp2_fast(x[c][set][2 + i] - zero);
                x[c][set][i] = a, x[c][set][2 + i] = b;
                s.sum[set][i] = s.sum[set][i] * scale[c][set][i] + (a + b);
            }
            p[c][set][0] = transposed(to_16x2<C_V_TYPE>(x[c][set][0], x[c][set][1]));
            p[c][set][1] = transposed(to_16x2<C_V_TYPE>(x[c][set][2], x[c][set][3]));
        }
    }
#pragma unroll
    for (u32 c = 0; c < COUNT; c++) {
        if (raised) {
#pragma unroll
            for (u32 n = 0; n < HD / 16 * SETS; n++) {
                float(&o)[4] = s.o[n / SETS][n % SETS];
                float first = scale[c][n % SETS][0], second = scale[c][n % SETS][1];
                o[0] *= first, o[1] *= second, o[2] *= first, o[3] *= second;
            }
        }
        if constexpr (V_CODES) {
            u32 begin = t + c * WARPS * TILE, valid = whole ? TILE : end - begin, value_scales[2][2];
#pragma unroll
            for (u32 m = 0; m < HD / 32; m++) {
                u32 a[2][4];
                value_codes(a, values[c] + value_code, scales[c] + V_SCALES, m, valid, value_scales);
#pragma unroll
                for (u32 n = 0; n < 2; n++) {
#pragma unroll
                    for (u32 set = 0; set < SETS; set++) mma_as<C_V_TYPE>(s.o[2 * m + n][set], a[n], p[c][set][0], p[c][set][1]);
                }
            }
            continue;
        }
#pragma unroll
        for (u32 n = 0; n < HD / 16; n++) {
            u32 a[4];
            load_matrices_transposed(a, half_in(values[c], v_row, n, v_half));
#pragma unroll
            for (u32 set = 0; set < SETS; set++) mma_as<C_V_TYPE>(s.o[n][set], a, p[c][set][0], p[c][set][1]);
        }
    }
}

// A warp's ring: where its tiles and its barriers lie, and what is read next of it.
struct Ring {
    u32 base, barriers, stage, parity;
    DEVICE void next() {
        if (++stage == RING) stage = 0, parity ^= 1;
    }
};

#if BOXES
// Has the copy engine bring one side's tile and its scales: the rows from `row` on of a block's part for one KV head, number `block` in the cache.
template <u32 TYPE>
DEVICE void fetch_boxes(u32 to, u32 scales_to, const TensorMap& map, const u8* cache, u32 block, u32 row, u32 barrier) {
    if constexpr (TYPE == KV_Q8_0) {
        // To the copy engine the cache is lines of 128 bytes, of codes and of scales.
        copy_box_once(to, map, 0, block * (kv_tile_bytes(TYPE) / 128) + row * HD / 128, barrier);
        copy_bytes_once(scales_to, kv_scales(cache, (u64)block * KV_BLOCK + row), SCALE_BYTES, barrier);
    } else {
#pragma unroll
        for (u32 p = 0; p < HD / 64; p++) copy_box_once(to + p * PANEL, map, p * 64, block * KV_BLOCK + row, barrier);
    }
}

// Clears rows `row` and on of a tile.
DEVICE void clear_from(u32 tile, u32 row) {
    for (u32 i = threadIdx.x % 32; i < (TILE - row) * (HD / 8); i += 32) {
        u32 at = place_in(tile, row + i / (HD / 8), i % (HD / 8) * 16);
        asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(0) : "memory");
    }
    __syncwarp();
}
#endif

// This warp's tiles of positions `seen` to `end`. Positions before `early` were in the cache before this step; `waited` says whether
// this step's are, too.
template <u32 SETS>
DEVICE void attend(Sums<SETS>& s, const Item& item, const Inputs& in, Ring& ring, u32 seen, u32 end, u32 early,
                   bool& waited) {
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, before = seen / TILE;
    // The warp's first tile at or after the first one that is seen.
    u32 first = before + (warp + WARPS - before % WARPS) % WARPS, tiles = (end + TILE - 1) / TILE, base = ring.base, filled = ring.stage;
    u32 first_scales = base + RING * TURN * STAGE;
    // Where copies end: what the step adds comes from elsewhere.
    u32 copied = FUSED ? item.old : end;
    auto fetch = [&](u32 n) {
#if BOXES
        if (lane == 0 && n < tiles) {
            u32 barrier = ring.barriers + 8 * filled;
            barrier_expect(barrier, (TURN == 2 && n + WARPS < tiles ? 2 : 1) * (STAGE + SCALES));
#pragma unroll
            for (u32 c = 0; c < TURN; c++, n += WARPS) {
                if (n >= tiles) break;
                u32 number = filled * TURN + c, at = base + number * STAGE, scales = first_scales + number * SCALES, pos = n * TILE;
                u32 block = __ldg(item.table + pos / KV_BLOCK) * C_KV_HEADS + item.head, row = pos % KV_BLOCK;
                fetch_boxes<C_K_TYPE>(at, scales, *in.k_map, in.k_cache, block, row, barrier);
                fetch_boxes<C_V_TYPE>(at + K_STAGE, scales + V_SCALES, *in.v_map, in.v_cache, block, row, barrier);
            }
        }
#else
#pragma unroll
        for (u32 c = 0; c < TURN; c++, n += WARPS) {
            if (n < tiles) {
                u32 number = filled * TURN + c, at = base + number * STAGE, scales = first_scales + number * SCALES;
                u32 pos = n * TILE, valid = copied > pos ? copied - pos : 0;
                u64 slot = ((u64)__ldg(item.table + pos / KV_BLOCK) * C_KV_HEADS + item.head) * KV_BLOCK + pos % KV_BLOCK;
                load_tile<C_K_TYPE>(at, scales, in.k_cache, slot, valid);
                load_tile<C_V_TYPE>(at + K_STAGE, scales + V_SCALES, in.v_cache, slot, valid);
            }
        }
        copy_commit();
#endif
        filled = filled + 1 == RING ? 0 : filled + 1;
    };
#pragma unroll
    for (u32 i = 0; i < RING - 1; i++) {
        u32 n = first + i * TURN * WARPS, last = n + (TURN - 1) * WARPS < tiles ? n + (TURN - 1) * WARPS : n;
        if (!FUSED && !waited && (last + 1) * TILE > early) {
            ragged_wait();
            waited = true;
        }
        fetch(n);
    }
    if (!waited) ragged_wait();
    waited = true;
    u32 q[HD / 16][SETS][2];
    load_queries(q, item, in);
#if FUSED
    Fresh<1> own;
    // Only the warp that has the last tile needs them.
    if ((tiles - 1) % WARPS == warp && item.old == item.pos) own.load(in, item.row, item.head, 1);
#endif
#pragma unroll
    for (u32 n = 0; n < HD / 16 * SETS; n++) {
        float(&o)[4] = s.o[n / SETS][n % SETS];
        o[0] = o[1] = o[2] = o[3] = 0.0f;
    }
    // Positions of this lane's queries; those that are not there see nothing.
    i32 pos[SETS][2];
    u32 queries = item.queries();
#pragma unroll
    for (u32 i = 0; i < 2 * SETS; i++) {
        u32 query = i / 2 * 8 + lane % 4 * 2 + i % 2;
        pos[i / 2][i % 2] = query < queries ? (i32)(item.pos + (PARTS > 1 ? 0 : query / GROUP)) : -1;
        s.max[i / 2][i % 2] = -INFINITE, s.sum[i / 2][i % 2] = 0.0f;
    }
    for (u32 n = first; n < tiles; n += TURN * WARPS) {
#if BOXES
        barrier_wait(ring.barriers + 8 * ring.stage, ring.parity);
#else
        copy_wait<RING - 2>();
#endif
        __syncwarp();
        // Nobody reads the stage that is filled next.
        fetch(n + (RING - 1) * TURN * WARPS);
        u32 at = base + ring.stage * TURN * STAGE, scales = first_scales + ring.stage * TURN * SCALES;
        ring.next();
#if FUSED
#pragma unroll
        for (u32 c = 0; c < TURN; c++) {
            u32 t = (n + c * WARPS) * TILE;
            if (t < end && t + TILE > item.old) put_fresh(item, in, own, t, end, at + c * STAGE, at + c * STAGE + K_STAGE);
        }
#endif
#if BOXES
        if constexpr (!V_CODES) {
#pragma unroll
            for (u32 c = 0; c < TURN; c++) {
                u32 t = (n + c * WARPS) * TILE;
                if (t < end && t + TILE > end) clear_from(at + c * STAGE + K_STAGE, end - t);
            }
        }
#endif
        bool two = TURN == 2 && n + WARPS < tiles;
        // The first query sees their last position, the last one their first.
        bool whole = (n + two * WARPS + 1) * TILE <= item.pos + 1 && (C_WINDOW == 0 || n * TILE + C_WINDOW >= end);
        if (two) {
            add_tiles<2, SETS>(s, q, pos, n * TILE, end, whole, {at, at + STAGE}, {at + K_STAGE, at + STAGE + K_STAGE},
                               {scales, scales + SCALES});
        } else {
            add_tiles<1, SETS>(s, q, pos, n * TILE, end, whole, {at}, {at + K_STAGE}, {scales});
        }
        __syncwarp();
    }
    if constexpr (!BOXES) copy_wait<0>();
    __syncwarp();
}

// A warp's sums of the first `queries` queries into its part of shared memory.
template <u32 SETS>
DEVICE void put_sums(u32 to, const Sums<SETS>& s, u32 queries) {
    u32 lane = threadIdx.x % 32;
#pragma unroll
    for (u32 set = 0; set < SETS; set++) {
#pragma unroll
        for (u32 i = 0; i < 2; i++) {
            u32 query = 8 * set + lane % 4 * 2 + i;
            float sum = s.sum[set][i];
#pragma unroll
            for (u32 far = 4; far <= 16; far *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, far);
            if (query >= queries) continue;
            if (lane < 4) {
                asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to + 8 * query), "f"(s.max[set][i]), "f"(sum) : "memory");
            }
            u32 row = to + 128 + query * SUM_ROW + lane / 4 * (V_CODES ? 8 : 4);
#pragma unroll
            for (u32 n = 0; n < HD / 16; n++) {
                if constexpr (V_CODES) {
                    asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(row + 64 * n), "f"(s.o[n][set][i]), "f"(s.o[n][set][2 + i]) : "memory");
                    continue;
                }
                asm volatile("st.shared.f32 [%0], %1;" ::"r"(row + 64 * n), "f"(s.o[n][set][i]) : "memory");
                asm volatile("st.shared.f32 [%0], %1;" ::"r"(row + 64 * n + 32), "f"(s.o[n][set][2 + i]) : "memory");
            }
        }
    }
}

#if FUSED
// Rows before `row` that are of its sequence. All lanes of the warp take part.
DEVICE u32 rows_before(const uint2* list, u32 row, u32 seq) {
    u32 lane = threadIdx.x % 32, before = 0;
    while (true) {
        u32 left = row - before;
        bool other = lane >= left || __ldcg(&list[left - 1 - lane].x) != seq;
        u32 others = __ballot_sync(0xffffffffu, other);
        if (others != 0) return before + __ffs(others) - 1;
        before += 32;
    }
}
#endif

#define RAGGED_BOUNDS __launch_bounds__(32 * WARPS, RESIDENT)

DEVICE void ragged(const Header* step, const u32* tables, const Inputs& in, u8* out) {
    extern __shared__ __align__(128) u8 shared[];
    launch_dependents();
    bool waited = false;
    u32 rows = min(__ldcg(&step->rows), C_MAX_ROWS), warp = threadIdx.x / 32;
    const uint2* list = reinterpret_cast<const uint2*>(step_seq(step, __ldcg(&step->seqs_cap)));
    u32 at = BOXES ? (shared_address(shared) + 1023) & ~1023u : shared_address(shared), base = at + warp * WARP_BYTES;
    Ring ring = {base, at + WARPS * WARP_BYTES + warp * RING * 8, 0, 0};
#if BOXES
    if (threadIdx.x % 32 == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(in.k_map) : "memory");
        asm volatile("prefetch.tensormap [%0];" ::"l"(in.v_map) : "memory");
        for (u32 i = 0; i < RING; i++) barrier_init(ring.barriers + 8 * i, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncwarp();
#endif
    for (u32 unit = blockIdx.x; unit < rows * C_KV_HEADS * PARTS; unit += gridDim.x) {
        Item item;
        item.row = unit / (C_KV_HEADS * PARTS), item.head = unit / PARTS % C_KV_HEADS, item.part = unit % PARTS;
        // Rows that go on in a sequence share a fragment with those before them, at most SIDE from a multiple of SIDE on.
        uint2 near[SIDE + 1];
        u32 place = item.row % SIDE;
#pragma unroll
        for (u32 i = 0; i <= SIDE; i++) {
            bool there = i == 0 ? place != 0 : place + i - 1 < SIDE && item.row + i - 1 < rows;
            near[i] = there ? __ldcg(list + item.row + i - 1) : make_uint2(0xffffffffu, 0);
        }
        u32 neighbours[2];
        neighbours[0] = item.row > 0 ? __ldcg(&list[item.row - 1].x) : 0xffffffffu;
        neighbours[1] = item.row + 1 < rows ? __ldcg(&list[item.row + 1].x) : 0xffffffffu;
        auto goes_on = [&](u32 i) { return near[i - 1].x == near[i].x && near[i - 1].y + 1 == near[i].y; };
        if (place != 0 && goes_on(1)) continue;
        item.count = 1;
#pragma unroll
        for (u32 i = 2; i <= SIDE; i++) {
            if (item.count == i - 1 && goes_on(i)) item.count = i;
        }
        item.pos = near[1].y, item.table = tables + (u64)near[1].x * C_BLOCKS;
        u32 end = item.pos + item.count;
        u32 seen = C_WINDOW == 0 || item.pos + 1 < C_WINDOW ? 0 : item.pos + 1 - C_WINDOW;
        bool alone = neighbours[0] != near[1].x && neighbours[1] != near[1].x;
#if FUSED
        item.old = neighbours[0] != near[1].x ? item.pos : item.pos - rows_before(list, item.row, near[1].x);
#else
        item.old = end;
#endif
        u32 queries = item.queries(), early = alone ? item.pos : 0;
        if (QUERIES > 8 && queries > 8) {
            Sums<(QUERIES > 8 ? 2 : 1)> s;
            attend(s, item, in, ring, seen, end, early, waited);
            put_sums(base, s, queries);
        } else {
            Sums<1> s;
            attend(s, item, in, ring, seen, end, early, waited);
            put_sums(base, s, queries);
        }
        __syncthreads();
        // Each thread adds up an eighth of a query's values.
        constexpr u32 EACH = HD / 8;
        u32 query = threadIdx.x / 8, piece = threadIdx.x % 8;
        float acc[EACH], sum = 0.0f, max = -INFINITE;
        if (query < queries) {
            float2 of[WARPS];
#pragma unroll
            for (u32 w = 0; w < WARPS; w++) {
                asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(of[w].x), "=f"(of[w].y) : "r"(at + w * WARP_BYTES + 8 * query)
                             : "memory");
                max = fmaxf(max, of[w].x);
            }
#pragma unroll
            for (u32 i = 0; i < EACH; i++) acc[i] = 0.0f;
#pragma unroll
            for (u32 w = 0; w < WARPS; w++) {
                u32 row = at + w * WARP_BYTES + 128 + query * SUM_ROW + 8 * piece;
                float add = weight(of[w].x, max);
                sum += of[w].y * add;
#pragma unroll
                for (u32 i = 0; i < EACH; i += 2) {
                    float2 v;
                    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "r"(row + 32 * i) : "memory");
                    acc[i] += v.x * add, acc[i + 1] += v.y * add;
                }
            }
        }
        // Nobody fills a ring while another warp still reads the sums in its place. The copy engine writes after these reads and writes, which
        // go another way.
        if constexpr (BOXES) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        u32 r = PARTS > 1 ? 0 : query / GROUP, g = PARTS > 1 ? item.part * 16 + query : query % GROUP;
        if (query < queries) {
            u8* to = out + (u64)(item.row + r) * OUT_ROW;
            float inverse = 1.0f / sum;
#pragma unroll
            for (u32 i = 0; i < EACH; i += 2) {
                u32 column = (item.head * GROUP + g) * HD + 2 * piece + 8 * i;
                float a = acc[i] * inverse, b = acc[i + 1] * inverse;
                if constexpr (C_ACT == ACT_F32) reinterpret_cast<float2*>(to)[column / 2] = make_float2(a, b);
                if constexpr (C_ACT == ACT_BF16) reinterpret_cast<u32*>(to)[column / 2] = f32_to_bf16x2(a, b);
                if constexpr (C_ACT == ACT_F16) reinterpret_cast<u32*>(to)[column / 2] = f32_to_f16x2(f16_act(a), f16_act(b));
            }
        }
    }
    // Blocks without an item end after those before them, too.
    if (!waited) ragged_wait();
}
