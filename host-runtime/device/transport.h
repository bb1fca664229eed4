/* SPDX-License-Identifier: Apache-2.0 */
/* The C ABI between the driver and a backend (RTL, golden model, both in lockstep, a virtual platform, a
 * board). A backend is a shared object that exports `heddle_transport`. It carries the device contract
 * (contract.def) and nothing else. One thread at a time calls into one device.
 *
 * Backends: libheddle_model.so (device "model"), libheddle_rtl_<preset>.so ("rtl" and "lockstep"),
 * libheddle_tlm.so ("tlm": one of the others as a SystemC module), libheddle_board.so ("board:PATH": hardware behind
 * a serial port).
 * Host addresses in commands and rings are plain pointers of this process. */
#ifndef HEDDLE_TRANSPORT_H
#define HEDDLE_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_TRANSPORT_ABI 10
/* Of device memory, for memory_written. */
#define HEDDLE_WRITTEN_PAGE 4096
/* Result of open and wait: nothing is wrong but that hardware is not there (any more). */
#define HEDDLE_UNAVAILABLE (-2)

typedef struct heddle_device heddle_device;

/* The device's DMA port, for a host whose memory is not simply this process's (a system simulation). The
 * device calls `read` or `write` to start a transfer, from within read32, write32, memory_read, memory_write or
 * step; they must return at once and not call the device. The transfer ends with heddle_transport.host_done
 * of the same tag. Until then `data` and `enables` stay where they are; `read` fills `data`. */
typedef struct heddle_host_port {
  void* context;
  void (*read)(void* context, uint64_t tag, uint64_t address, void* data, size_t bytes);
  /* `enables`: a byte each, 0: leave the host's byte alone; NULL: all are written. */
  void (*write)(void* context, uint64_t tag, uint64_t address, const void* data, const uint8_t* enables, size_t bytes);
} heddle_host_port;

typedef struct heddle_open_options {
  uint32_t abi;            /* HEDDLE_TRANSPORT_ABI */
  const char* device;      /* as the user named it: "model", "rtl", "lockstep", "tlm:rtl" … */
  const char* preset_file; /* path of the preset's .toml */
  const char* wave_file;   /* FST to write, or NULL */
  uint64_t wave_begin;     /* first and last cycle of the wave window */
  uint64_t wave_end;
  int wave_launch;         /* not 0: they count from the start of the first launch that is profiled */
  const char* wave_scopes; /* instances and signal groups to keep, with commas (docs/waves.md); NULL: all */
  const char* wave_groups;
  const char* inject;           /* name of a planted bug to switch on, or NULL (tests of the checker) */
  uint64_t seed;                /* initial contents of undefined state; 0: zeros */
  const heddle_host_port* host; /* NULL: host addresses are pointers of this process. Copied by open. */
} heddle_open_options;

/* What the backend counted since it was opened; the runtime prints and reports them. */
typedef struct heddle_stats {
  uint64_t cycles;                 /* device clock cycles simulated, 0 for the model */
  uint64_t warp_instructions;      /* retired */
  uint64_t thread_instructions;    /* retired, active and guarded lanes */
  uint64_t compared_instructions;  /* warp instructions that the golden model confirmed */
  uint64_t compared_memory_events; /* memory effects that it confirmed */
  double cpu_seconds;              /* CPU time of simulation threads */
  uint64_t trace_digest;           /* of all that the last kernel issued and retired, and when; 0: not watched */
} heddle_stats;

/* Indices of heddle_profile's arrays. */
enum heddle_stall {
#define HEDDLE_STALL(name, word, doc) HEDDLE_STALL_##name,
#include "host-runtime/device/counters.def"
  HEDDLE_STALLS
};
enum heddle_counter {
#define HEDDLE_COUNTER(name, unit, timed, doc) HEDDLE_COUNTER_##name,
#include "host-runtime/device/counters.def"
  HEDDLE_COUNTERS
};

/* Of one instruction of a launch, by the byte offset in the code segment. A warp's cycles count for the instruction
 * that it issues next. Instructions that no warp reached are not there. */
typedef struct heddle_profile_line {
  uint32_t pc;
  uint64_t executed;       /* by warps */
  uint64_t threads;        /* whose guard holds */
  uint64_t active_threads; /* all that are there */
  uint64_t divergent;      /* of a branch: executed by warps of whose threads some took it and others did not */
  uint64_t sectors;        /* of 32 bytes of global or local memory */
  uint64_t wavefronts;     /* of shared memory */
  uint64_t stalls[HEDDLE_STALLS];
} heddle_profile_line;

/* What a launch did. */
typedef struct heddle_profile {
  uint64_t counters[HEDDLE_COUNTERS];
  uint64_t stalls[HEDDLE_STALLS]; /* cycles of warps */
  uint64_t idle[HEDDLE_STALLS];   /* cycles of schedulers that issued nothing, by what came nearest to it */
  uint64_t open_cycles;           /* of warps that have not issued again; in stalls, and in no line */
  const heddle_profile_line* lines;
  size_t line_count;
} heddle_profile;

/* What happened in a cycle of a launch that is profiled. `warp` is the warp's slot in its SM, `seq` the number of its
 * instruction, counted from 0 at its start. Events of a warp come in the order of their cycles, others need not. */
enum heddle_event_kind {
  HEDDLE_EVENT_START,       /* of the launch */
  HEDDLE_EVENT_END,         /* of the launch */
  HEDDLE_EVENT_STATE,       /* value: heddle_stall of the warp from this cycle on, HEDDLE_STALLS: it is not there */
  HEDDLE_EVENT_BLOCK_START, /* value: slot in the SM; warp: its first; block */
  HEDDLE_EVENT_BLOCK_END,   /* value: slot */
  HEDDLE_EVENT_ISSUE,       /* value: pc; mask: lanes that are there */
  HEDDLE_EVENT_EXECUTE,     /* its operands go to a unit; value: of isa.def. Of a tensor instruction more than once. */
  HEDDLE_EVENT_RETIRE,      /* its last result is written, or its store gone; not every instruction has one */
  HEDDLE_EVENT_RESOLVE,     /* a control instruction says where the warp goes on */
  HEDDLE_EVENT_COUNT        /* sm: whose, of bytes of memory its channel; value: heddle_counter; mask: by how much */
};
typedef struct heddle_event {
  uint64_t cycle; /* as RegCycles counts */
  uint32_t kind;
  uint32_t sm, warp, seq;
  uint32_t value, mask;
  uint32_t block[3];
} heddle_event;
/* Called from within the calls that let the device work; must not call the device. */
typedef struct heddle_event_sink {
  void* context;
  void (*event)(void* context, const heddle_event* event);
} heddle_event_sink;

typedef struct heddle_transport {
  uint32_t abi;
  /* Returns 0 and a device, or a message in `error` (the cause and what to do): HEDDLE_UNAVAILABLE when the device
   * itself is not there or in use, else -1. */
  int (*open)(const heddle_open_options* options, heddle_device** device, char* error, size_t error_size);
  void (*close)(heddle_device* device);
  uint32_t (*read32)(heddle_device* device, uint32_t offset);
  void (*write32)(heddle_device* device, uint32_t offset, uint32_t value);
  /* Lets the device work until its interrupt line is up or `max_cycles` device cycles have passed
   * (the model: about as many warp instructions). Returns 1 on interrupt, 0 on the bound, -1 when the
   * backend failed (lockstep mismatch, internal error), HEDDLE_UNAVAILABLE when the device is gone (unplugged, switched
   * off): then failure() says why and the device stays dead. */
  int (*wait)(heddle_device* device, uint64_t max_cycles);
  const char* (*failure)(heddle_device* device);
  void (*stats)(heddle_device* device, heddle_stats* stats);

  /* ---- for a system around the device; NULL: the backend does not offer it ---- */
  /* Clock cycles so far, as RegCycles would read. */
  uint64_t (*cycles)(heddle_device* device);
  /* With a host port, in place of wait: works for at most `max_cycles` cycles. Returns early when a transfer
   * starts and when the interrupt line changes; the model also when it has nothing to do or waits for the
   * host. 0 cycles: only asks. Returns the level of the interrupt line, or -1 as wait. */
  int (*step)(heddle_device* device, uint64_t max_cycles);
  /* The transfer `tag` of the host port has ended; the device sees it `cycles` cycles from now. */
  void (*host_done)(heddle_device* device, uint64_t tag, int error, uint64_t cycles);
  /* Any bytes of device memory, coherent as the copy engine's accesses are. May take device cycles. Returns
   * 0, or -1 when an address is refused (outside [MemBase, MemBase + MemSize)) or the backend failed. */
  int (*memory_read)(heddle_device* device, uint64_t address, void* data, size_t bytes);
  int (*memory_write)(heddle_device* device, uint64_t address, const void* data, const uint8_t* enables, size_t bytes);
  /* The bytes of device memory themselves, from MemBase on; NULL while that is not possible. Not `writable`:
   * they may only be read, and only until the next call that lets the device work or changes memory. */
  void* (*memory_direct)(heddle_device* device, uint64_t* bytes, int* writable);

  /* ---- NULL: nothing to check ---- */
  /* The host is done with the device and only closes it: the last comparisons with the golden model, device memory as a
   * whole among them. Nothing is compared while a command runs. 0, or -1 when the backend failed, as wait. */
  int (*finish)(heddle_device* device);

  /* ---- NULL: the backend does not offer it ---- */
  /* Sets bytes of device memory as if they had been there since the last reset, which nothing has followed but register
   * accesses: no cache holds any. Takes no device cycles. Returns as memory_write. */
  int (*memory_load)(heddle_device* device, uint64_t address, const void* data, size_t bytes);
  /* Sets written[i] to 1 for each of `pages` pages of HEDDLE_WRITTEN_PAGE bytes, from `address` on (a multiple of
   * that), in which some byte may have been written since this was last asked of the page, or since open; else to 0.
   * Between commands; may take device cycles. 0, or -1: not known now. NULL: never known. */
  int (*memory_written)(heddle_device* device, uint64_t address, size_t pages, uint8_t* written);

  /* ---- NULL: the backend counts nothing ---- */
  /* Launches are profiled from the next one on, or no more. Between commands. 0, or -1: not by this device. */
  int (*profile)(heddle_device* device, int on);
  /* Of the last launch that was profiled, or of the one that runs as far as it is; NULL: none. Valid until the next
   * call that lets the device work. */
  const heddle_profile* (*profiled)(heddle_device* device);
  /* Events of launches that are profiled go there from the next one on; NULL: nowhere. Between commands. Copied. 0, or
   * -1: not by this device. NULL: it has no clock, or does not tell. */
  int (*events)(heddle_device* device, const heddle_event_sink* sink);
} heddle_transport;

/* The one symbol of a backend. */
const heddle_transport* heddle_transport_get(void);
typedef const heddle_transport* (*heddle_transport_get_fn)(void);

#ifdef __cplusplus
}
#endif
#endif
