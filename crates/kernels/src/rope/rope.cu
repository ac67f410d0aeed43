// rope: one thread per pair of elements of a query or a key, in place.
constexpr u32 TURNED = C_HEADS + C_KV_HEADS, WIDTH = (C_HEADS + 2 * C_KV_HEADS) * C_HEAD_DIM;

extern "C" __global__ void __launch_bounds__(256) rope(const Header* step, const float* angles, float* qkv) {
    launch_dependents();
    wait_dependencies();
    u64 n = (u64)step->rows * TURNED * C_PAIRS;
    for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < n; at += (u64)gridDim.x * blockDim.x) {
        u32 i = (u32)(at % C_PAIRS), head = (u32)(at / C_PAIRS % TURNED), row = (u32)(at / C_PAIRS / TURNED);
        float* x = qkv + (u64)row * WIDTH + head * C_HEAD_DIM;
        Pair p = pair_of(i);
        float2 y = turn(load_pair(p, i, x, angles + (u64)row * C_PAIRS * 2));
        x[p.first] = y.x;
        x[p.second] = y.y;
    }
}
