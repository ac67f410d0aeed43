// advance in the persistent form: every block takes the pick of all and moves its copy of the step block; block 0 also
// writes the step block and the belt.
template <u32 VOCAB, u32 MAX_SEQ>
struct Advance {
    DEVICE static void run(Worker& w, const Command& c) {
        Pick top = key_pick(w.gather());
        if (w.warp == 0) {
            Header& h = w.s.header;
            Seq& seq = w.s.seq;
            u32 eos = w.lane < min(seq.eos_count, (u32)MAX_EOS) ? seq.eos[w.lane] : 0xffffffffu;
            bool ends = __any_sync(0xffffffffu, w.lane < min(seq.eos_count, (u32)MAX_EOS) && eos == top.token);
            if (w.lane == 0) move(w, c, top, ends);
        }
        sync_consumers(BAR_ALL);
    }

    DEVICE static void move(Worker& w, const Command& c, Pick top, bool ends) {
        Header& h = w.s.header;
        u32 len = w.s.row.pos + 1;
        bool drawn = false;
        w.s.seq.len = len;
        h.steps += 1;
        if (h.head_rows != 0) {
            drawn = fabsf(top.score) < INFINITE && top.token < VOCAB;
            if (!drawn) {
                h.stop = STOP_NOT_FINITE;
            } else {
                h.last_token = w.s.token = top.token;
                w.s.has_token = 1;
                h.drawn += 1;
                h.stop = ends ? STOP_EOS : len >= w.s.seq.limit ? STOP_LIMIT : STOP_NONE;
            }
            w.s.row.pos = len;
            h.rows = 1, h.head_rows = 1;
        }
        if (blockIdx.x != 0) return;
        Header* step = w.place<Header>(c, 0);
        Seq* seq = const_cast<Seq*>(step_seq(step, 0));
        seq->len = len;
        step->steps = h.steps;
        if (h.head_rows == 0) return;
        step->last_token = h.last_token, step->drawn = h.drawn, step->stop = h.stop;
        *reinterpret_cast<Row*>(const_cast<Seq*>(step_seq(step, 1))) = {0, len};
        if (drawn && len < MAX_SEQ) w.place<u32>(c, 2)[len] = top.token;
    }
};
