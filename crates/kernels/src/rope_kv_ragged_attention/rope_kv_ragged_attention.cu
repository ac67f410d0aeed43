// rope_kv_ragged_attention: see ragged.cuh.
extern "C" __global__ void RAGGED_BOUNDS rope_kv_ragged_attention(const Header* step, const u32* tables, const float* angles,
                                                                  const float* qkv, u8* k_cache, u8* v_cache, u8* out, Params params RAGGED_MAPS) {
    ragged(step, tables, {qkv, angles, k_cache, v_cache, params.scale * LOG2E, RAGGED_MAP_NAMES}, out);
}
