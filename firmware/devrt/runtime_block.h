// SPDX-License-Identifier: Apache-2.0
// The runtime block: what a running kernel and the host share besides the kernel's own memory. One block
// of global memory a context, which code reaches by the link-time symbol $runtime.
//
// The FIFO holds the records of printf and assert. A thread takes room by adding its record's size to
// fifo_head; when the record does not fit, the thread counts it in `dropped` and, if the old head still
// lies inside, ends the records there with a size of 0. The host reads records from offset 0 to the first
// size of 0 or to min(fifo_head, fifo_bytes), when no kernel runs, and sets fifo_head and dropped to 0.
//
// malloc's heap lies elsewhere; the block says where. It lasts as long as the context.
//
// Compiled for the device and for the host. All numbers little-endian; offsets are part of the contract.
#ifndef HEDDLE_FIRMWARE_DEVRT_RUNTIME_BLOCK_H
#define HEDDLE_FIRMWARE_DEVRT_RUNTIME_BLOCK_H

enum {
  kRuntimeBlockVersion = 1,
  kRecordAlignment = 8,
  kHeapPage = 4096,
  kHeapBlock = 16,
};

// In device memory, at an address that is a multiple of 64.
struct RuntimeBlock {
  unsigned int version;           // 0: kRuntimeBlockVersion
  unsigned int fifo_bytes;        // 4: size of the FIFO, a multiple of kRecordAlignment
  unsigned long long fifo;        // 8: its device address, a multiple of kRecordAlignment
  unsigned int fifo_head;         // 16: bytes taken, also beyond fifo_bytes
  unsigned int dropped;           // 20: records that did not fit
  unsigned int assert_count;      // 24: failed asserts; non-zero makes the launch fail
  unsigned int reserved0;         // 28
  unsigned long long heap;        // 32: device address of malloc's heap, a multiple of kHeapPage
  unsigned long long heap_bytes;  // 40: a multiple of kHeapPage; 0: there is none
  unsigned int reserved[4];       // 48
};

// Behind the heap's bytes, zero at first: this, and a HeapPage for each page.
struct HeapHeader {
  unsigned int lock;    // of who looks for pages in a row
  unsigned int at[15];  // by size class: the page to look at first
};

// A page of the heap.
struct HeapPage {
  unsigned int state;    // size class (block bytes / 8 is 2 to that; 14, 15: of a run) << 16 | blocks taken; 0: free
  unsigned int run;      // pages of the run that begins here
  unsigned int used[8];  // a bit a block
};

enum RecordKind {
  kRecordPrintf = 1,
  kRecordAssert = 2,
};

// Begins every record.
struct RecordHeader {
  unsigned int bytes;  // of the whole record, a multiple of kRecordAlignment; 0: no record, the end
  unsigned int kind;   // RecordKind
};

// printf: the format's device address, then the argument buffer as the compiler packs it (each argument
// at a multiple of its size: 4 for int and narrower, 8 for long long, double and pointers). A %s argument
// is a device address.
struct PrintfRecord {
  struct RecordHeader header;
  unsigned long long format;
  // arguments follow
};

// assert: device addresses of its texts, and who failed.
struct AssertRecord {
  struct RecordHeader header;
  unsigned long long message;
  unsigned long long file;
  unsigned long long function;
  unsigned int line;
  unsigned int block[3];
  unsigned int thread[3];
  unsigned int reserved;
};

#if defined(__cplusplus)
static_assert(sizeof(RuntimeBlock) == 64, "a contract between host and device");
static_assert(sizeof(HeapHeader) == 64, "a contract between host and device");
static_assert(sizeof(HeapPage) == 40, "a contract between host and device");
static_assert(sizeof(PrintfRecord) == 16, "a contract between host and device");
static_assert(sizeof(AssertRecord) == 64, "a contract between host and device");
#endif

#endif  // HEDDLE_FIRMWARE_DEVRT_RUNTIME_BLOCK_H
