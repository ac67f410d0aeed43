// x[r] += segments[segment of r] + positions[first + position of r]. One block per row.
extern "C" __global__ void add_positions(const Header* step, const float* positions, const float* segments, float* x) {
    launch_dependents();
    wait_dependencies();
    for (u32 r = blockIdx.x; r < step->rows; r += gridDim.x) {
        Row own = step_row(step, r);
        u32 at = min(C_FIRST + own.pos, C_POSITIONS - 1u);
        u32 second = C_SEGMENTS > 1u ? step_seq(step, own.seq)->limit : 0u;
        const float* segment = segments + (second != 0u && own.pos >= second ? C_D : 0u);
        for (u32 i = threadIdx.x; i < C_D; i += blockDim.x) {
            float* to = x + (u64)r * C_D + i;
            *to = *to + segment[i] + positions[(u64)at * C_D + i];
        }
    }
}
