// (cos, sin) of position times frequency, for every row. One block per row. Frequencies are weights, so the first ones
// are read before the wait.
extern "C" __global__ void __launch_bounds__(THREADS)
    rope_angles(const Header* step, const float* frequencies, float2* angles, Params p) {
    launch_dependents();
    float first = threadIdx.x < C_PAIRS ? frequencies[threadIdx.x] : 0.0f;
    wait_dependencies();
    for (u32 r = blockIdx.x; r < C_MAX_ROWS; r += gridDim.x) {
        Place at = step_place(step, r);
        if (r >= at.rows) return;
        float pos = (float)at.row.pos;
        for (u32 i = threadIdx.x; i < C_PAIRS; i += THREADS) {
            float s, c;
            sincosf(pos * (i < THREADS ? first : frequencies[i]), &s, &c);
            angles[(u64)r * C_PAIRS + i] = make_float2(c * p.magnitude, s * p.magnitude);
        }
    }
}
