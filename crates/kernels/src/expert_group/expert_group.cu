// expert_group: a block for each expert. All of its warps count all slots, each a part of them; then each lists its part's
// slots of the block's expert.

enum { GROUP_WARPS = 16 };

DEVICE u32 expert_of(const Pick* routes, u32 slot) {
    u32 e = __ldcg(reinterpret_cast<const uint2*>(routes) + slot).x;
    return e < C_EXPERTS ? e : C_EXPERTS - 1;
}

extern "C" __global__ void __launch_bounds__(512) expert_group(const Header* step, const Pick* routes, u32* groups) {
    constexpr u32 SLOTS = C_MAX_ROWS * C_USED, MOST = SLOTS / C_TILE + (SLOTS < C_EXPERTS ? SLOTS : C_EXPERTS);
    __shared__ u32 counts[C_EXPERTS], own[GROUP_WARPS];
    launch_dependents();
    wait_dependencies();
    u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, expert = blockIdx.x;
    u32 slots = min(__ldcg(&step->rows), C_MAX_ROWS) * C_USED;
    for (u32 e = threadIdx.x; e < C_EXPERTS; e += 512) counts[e] = 0;
    __syncthreads();

    u32 each = (slots + 32 * GROUP_WARPS - 1) / (32 * GROUP_WARPS) * 32, begin = warp * each;
    u32 end = min(begin + each, slots), listed = 0;
#pragma unroll 4
    for (u32 s = begin; s < end; s += 32) {
        u32 e = s + lane < end ? expert_of(routes, s + lane) : C_EXPERTS;
        if (e < C_EXPERTS) atomicAdd(&counts[e], 1u);
        listed += __popc(__ballot_sync(0xffffffffu, e == expert));
    }
    if (lane == 0) own[warp] = listed;
    __syncthreads();

    // What the experts before this one have.
    u32 first = 0, tile = 0;
    for (u32 e = lane; e < expert; e += 32) first += counts[e], tile += (counts[e] + C_TILE - 1) / C_TILE;
    first = __reduce_add_sync(0xffffffffu, first), tile = __reduce_add_sync(0xffffffffu, tile);
    u32 count = counts[expert], tiles = (count + C_TILE - 1) / C_TILE;
    uint4* to = reinterpret_cast<uint4*>(groups);
    if (expert + 1 == C_EXPERTS && threadIdx.x == 0) to[0] = make_uint4(tile + tiles, 0, 0, 0);
    for (u32 i = threadIdx.x; i < tiles; i += 512) {
        to[1 + tile + i] = make_uint4(expert, first + i * C_TILE, min(C_TILE, count - i * C_TILE), 0);
    }

    u32* order = groups + 4 * (1 + MOST) + first;
    for (u32 w = 0; w < warp; w++) order += own[w];
#pragma unroll 4
    for (u32 s = begin; s < end; s += 32) {
        bool is = s + lane < end && expert_of(routes, s + lane) == expert;
        u32 all = __ballot_sync(0xffffffffu, is);
        if (is) order[__popc(all & ((1u << lane) - 1))] = s + lane;
        order += __popc(all);
    }
}
