// (cos, sin) of position times frequency, for every row. One block per row.
extern "C" __global__ void __launch_bounds__(128)
rope_angles(const Header* step, const float* frequencies, float2* angles) {
    launch_dependents();
    wait_dependencies();
    for (u32 r = blockIdx.x; r < step->rows; r += gridDim.x) {
        float pos = (float)step_row(step, r).pos;
        for (u32 i = threadIdx.x; i < C_PAIRS; i += blockDim.x) {
            float s, c;
            sincosf(pos * frequencies[i], &s, &c);
            angles[(u64)r * C_PAIRS + i] = make_float2(c, s);
        }
    }
}
