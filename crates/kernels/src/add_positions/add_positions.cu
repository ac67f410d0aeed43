// x[r] += segment + positions[first + position of r]. One block per row.
extern "C" __global__ void add_positions(const Header* step, const float* positions, const float* segment, float* x) {
    launch_dependents();
    wait_dependencies();
    for (u32 r = blockIdx.x; r < step->rows; r += gridDim.x) {
        u32 at = min(C_FIRST + step_row(step, r).pos, C_POSITIONS - 1u);
        for (u32 i = threadIdx.x; i < C_D; i += blockDim.x) {
            float* to = x + (u64)r * C_D + i;
            *to = *to + segment[i] + positions[(u64)at * C_D + i];
        }
    }
}
