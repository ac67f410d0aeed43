// embed of one row in the persistent form: every block makes the whole row for itself. The token is the one that the
// step before drew, or the belt's.
template <u32 DTYPE, u32 D, u32 VOCAB, u32 MAX_SEQ>
struct Embed {
    DEVICE static void run(Worker& w, const Command& c) {
        u32 token = w.s.has_token ? w.s.token : w.place<const u32>(c, 1)[min(w.s.row.pos, MAX_SEQ - 1)];
        token = min(token, VOCAB - 1);
        float scale = __uint_as_float(c.param);
#pragma unroll 1
        for (u32 i = w.t * 8; i < D; i += CONSUMERS * 8) {
            float v[8];
            Values<DTYPE, D, VOCAB>::eight(w.place<const u8>(c, 2), token, i / 32, i % 32 / 8, v);
#pragma unroll
            for (u32 j = 0; j < 8; j++) v[j] *= scale;
            float4* to = reinterpret_cast<float4*>(w.carried(c, 3) + i);
            to[0] = make_float4(v[0], v[1], v[2], v[3]);
            to[1] = make_float4(v[4], v[5], v[6], v[7]);
        }
        sync_consumers(BAR_ALL);
    }
};
