// What the device's own kernels share with the host and with each other. Mapped memory is the host's: it reads it while
// they run, and nobody calls the driver.

struct Mapped {
    volatile u32 drawn;    // tokens since the stream was made
    volatile u32 ended;    // submissions ended
    volatile u32 refused;  // submissions whose step block did not fit
    volatile u32 cancel;   // set by the host
    volatile u32 failed;   // launches of a persistent table that did not end by themselves
    u32 reserved[11];
    volatile u32 ring[RING];
};

struct Control {
    u32 steps;    // left of this submission
    u32 drawn;    // tokens since the stream was made
    u32 seen;     // header.drawn at the last look
    u32 ended;    // submissions ended
};

struct Limits {
    u32 rows, head_rows, positions, blocks;
};

extern "C" __device__ __cudart_builtin__ void cudaGraphSetConditional(u64 handle, u32 value);

// What a persistent table keeps between launches.
struct Persist {
    u32 epoch;      // steps run since it was lowered
    u32 launch;     // launches ended
    u32 decision;   // 4 * launch, and whether that launch runs
    u32 arrived;    // blocks that ever began
    u32 failed;     // a wait passed its deadline: nothing may run any more
    u32 retries;    // launches in a row that did not get all multiprocessors
    u64 since;      // when the first of them ended
};

enum { UNDECIDED = 0, RUN = 1, RETRY = 2 };
// Nanoseconds that a step may take, and that a launch may wait for its multiprocessors.
#define STEP_TIME 5000000000ull
#define ADMISSION_TIME 60000000000ull
