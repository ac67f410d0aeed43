// ragged_attention: see ragged.cuh.
extern "C" __global__ void RAGGED_BOUNDS ragged_attention(const Header* step, const u32* tables, const float* qkv, u8* k_cache, u8* v_cache,
                                                          u8* out, Params params RAGGED_MAPS) {
    ragged(step, tables, {qkv, nullptr, k_cache, v_cache, params.scale * LOG2E, RAGGED_MAP_NAMES}, out);
}
