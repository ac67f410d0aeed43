// rope_angles of one row in the persistent form: every block makes them for itself.
template <u32 PAIRS>
struct RopeAngles {
    DEVICE static void run(Worker& w, const Command& c) {
        const float* frequencies = w.place<const float>(c, 1);
        float2* angles = reinterpret_cast<float2*>(w.carried(c, 2));
        float pos = (float)w.s.row.pos, magnitude = __uint_as_float(c.param);
#pragma unroll 1
        for (u32 i = w.t; i < PAIRS; i += CONSUMERS) {
            float sine, cosine;
            sincosf(pos * __ldg(frequencies + i), &sine, &cosine);
            angles[i] = make_float2(cosine * magnitude, sine * magnitude);
        }
        sync_consumers(BAR_ALL);
    }
};
