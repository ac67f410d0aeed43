// What the device's own kernels share with the host and with each other. Mapped memory is the host's: it reads it while
// they run, and nobody calls the driver.

struct Mapped {
    volatile u32 drawn;    // tokens since the stream was made
    volatile u32 ended;    // submissions ended
    volatile u32 refused;  // submissions whose step block did not fit
    volatile u32 cancel;   // set by the host
    u32 reserved[12];
    volatile u32 tokens[RING];
    volatile u32 who[RING];  // who drew them, in a batch
};

struct Control {
    u32 steps;    // left of this submission
    u32 drawn;    // tokens since the stream was made
    u32 seen;     // header.drawn at the last look
    u32 ended;    // submissions ended
};

// A block table: its entries, and the number below which blocks are.
struct BlockTable {
    u32 entries, blocks;
};

// What limits.rs says of a table.
struct Limits {
    u32 rows, head_rows, positions, consecutive;
    BlockTable table, windows;
    u32 seqs_cap, heads_at, heads_cap;
    u32 several;  // rows of a sequence may draw
};

extern "C" __device__ __cudart_builtin__ void cudaGraphSetConditional(u64 handle, u32 value);
