// Sums that the blocks of a team leave each other in memory (in practice in the second cache).
//
// k of a tile is cut into SPLIT parts, one for each block of a team. Each block finishes some of the columns: it gets the others' sums
// of these, and adds all in the order of the parts. Warpgroups of equal number exchange among themselves.
//
// A block that waits for another one relies on that one running. So a team's blocks have neighbouring numbers and stay a team for
// the whole command, a grid has no more blocks than run at a time, and a block of the next command starts only when all of this one have
// begun. Blocks start in the order of their numbers, those of a cluster together: where other queues hold multiprocessors, one team of a
// grid at most waits for blocks that have not started, and all other blocks end. So a grid holds at most six multiprocessors that only
// wait, and it would take 22 batches at once, each on a queue of its own, to fill an H200 with such.
//
// Memory: for each warpgroup of a team a counter (128 bytes apart, 32 KiB in all), then its sums, [to][from][column groups][128 threads]
// of four. A counter goes up by 4 when all have put their sums there and by 4 when all have taken them, so it is a multiple of 4 after
// every command, whatever SPLIT the next one has, and may wrap.
//
// Measured on an H200 with 128 blocks: 2 us where each sends 32 KB (two parts), 10 us where each sends 96 KB (four parts of tiles twice
// as large), most of which the reads take. Blocks of a cluster exchange faster, but clusters of four fit 30 times there, and what they share
// is then not the weights.

constexpr u32 EXCHANGE_COUNTERS = 32 << 10;

// Of a warpgroup with GROUPS column groups of sums; of these a part finishes EACH.
template <u32 SPLIT, u32 GROUPS>
struct Exchange {
    static constexpr u32 EACH = GROUPS / SPLIT;
    static_assert(SPLIT > 1 && GROUPS % SPLIT == 0 && 4 % SPLIT == 0, "equal shares, whole counts");

    u32* count;
    float4* sums;
    u32 part, barrier;
    // Of the first thread: the counter before the last exchange. Of all: whether there was one.
    u32 before = 0, again = 0;

    // `number` is the warpgroup's among those of all teams, `barrier` one that its threads have for themselves.
    DEVICE Exchange(u8* memory, u32 number, u32 part, u32 barrier)
        : count(reinterpret_cast<u32*>(memory + number * 128)),
          sums(reinterpret_cast<float4*>(memory + EXCHANGE_COUNTERS) + (u64)number * SPLIT * GROUPS * 128),
          part(part),
          barrier(barrier) {}

    DEVICE void sync() const { asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory"); }

    // Reports that the sums are there: the barrier before has ordered those of the other threads before this.
    DEVICE u32 put() const {
        u32 old;
        asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;" : "=r"(old) : "l"(count), "n"(4 / SPLIT) : "memory");
        return old;
    }

    // Reports that they have been read, and makes no write visible.
    DEVICE void taken() const {
        asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(count), "n"(4 / SPLIT) : "memory");
    }

    DEVICE void wait(u32 value) const {
        u32 now;
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(count) : "memory");
        while ((int)(now - value) < 0);
    }

    // Where this thread's sums of a column group lie.
    DEVICE float4* place(u32 to, u32 from, u32 i) const { return sums + ((to * SPLIT + from) * EACH + i) * 128 + threadIdx.x % 128; }

    // Past the first cache, and where it stands: the compiler would move a load that is not volatile across the barrier.
    static DEVICE float4 get(const float4* p) {
        float4 v;
        asm volatile("ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p) : "memory");
        return v;
    }

    // Sums of all parts of this part's column groups, from this part's sums of all groups.
    DEVICE void run(float (&all)[4 * EACH], const float (&acc)[4 * GROUPS]) {
        bool first = threadIdx.x % 128 == 0;
        if (again) {
            if (first) wait(before + 8);
            sync();
        }
        again = 1;
        float4 own[EACH];
#pragma unroll
        for (u32 to = 0; to < SPLIT; to++) {
#pragma unroll
            for (u32 i = 0; i < EACH; i++) {
                u32 at = 4 * (to * EACH + i);
                float4 v = make_float4(acc[at], acc[at + 1], acc[at + 2], acc[at + 3]);
                if (to == part) own[i] = v;
                else __stcg(place(to, part, i), v);
            }
        }
        sync();
        if (first) {
            before = put() & ~3u;
            wait(before + 4);
        }
        sync();
        // Of the other parts, in their order; without conditions, so that all are under way together.
        float4 got[SPLIT - 1][EACH];
#pragma unroll
        for (u32 j = 0; j < SPLIT - 1; j++) {
#pragma unroll
            for (u32 i = 0; i < EACH; i++) got[j][i] = get(place(part, j + (j >= part), i));
        }
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            float4 v = part == 0 ? own[i] : got[0][i];
#pragma unroll
            for (u32 p = 1; p < SPLIT; p++) {
                float4 o = own[i];
                if (p < SPLIT - 1 && p < part) o = got[p < SPLIT - 1 ? p : 0][i];
                if (p > part) o = got[p - 1][i];
                v.x += o.x, v.y += o.y, v.z += o.z, v.w += o.w;
            }
            all[4 * i] = v.x, all[4 * i + 1] = v.y, all[4 * i + 2] = v.z, all[4 * i + 3] = v.w;
        }
        // A thread that comes to the barrier has what it has read in registers: the sums are made of it.
#pragma unroll
        for (u32 i = 0; i < 4 * EACH; i++) asm volatile("" : "+f"(all[i])::"memory");
        sync();
        if (first) taken();
    }
};
