// SPDX-License-Identifier: Apache-2.0
// The driver core: one device with its memory, code and work. Everything that the CUDA API layers need
// is here; nothing here knows their types, but errors carry CUDA's codes.
//
// Errors of the device are sticky: once one came, every call returns it until the context is destroyed.
// Calls that only submit work return a sequence number; synchronize() waits for it. They say their stream; without one
// the work waits for everything submitted before.
//
// Not thread-safe: the owner locks around every call. An owner who gives create() that lock has a device that moves by
// itself; then calls that wait give it up meanwhile, and host functions run without it (engine.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/device/backend.h"
#include "host-runtime/driver/allocator.h"
#include "host-runtime/driver/chosen.h"
#include "host-runtime/driver/code_segment.h"
#include "host-runtime/driver/device_heap.h"
#include "host-runtime/driver/engine.h"
#include "host-runtime/driver/managed.h"
#include "host-runtime/driver/module.h"
#include "host-runtime/driver/occupancy.h"
#include "host-runtime/driver/printf_fifo.h"
#include "host-runtime/driver/progress.h"
#include "host-runtime/driver/queue.h"
#include "host-runtime/driver/report.h"
#include "host-runtime/driver/settings.h"
#include "host-runtime/driver/stream.h"
#include "presets/preset.h"

namespace heddle::driver {

class Context {
 public:
  // Opens the device that the settings name. `transport`: the backend, already loaded. `program`: its
  // name, for the report. Output of kernels' printf goes to `out`, messages to `err` (not owned). `chosen`: the backend
  // of the launches that the settings choose; the other one is the golden model then.
  static Result<std::unique_ptr<Context>> create(const Settings& settings, const Preset& preset,
                                                 const std::string& preset_file, const heddle_transport* transport,
                                                 std::string program, std::FILE* out, std::FILE* err,
                                                 std::mutex* lock = nullptr, const heddle_transport* chosen = nullptr);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Preset& preset() const { return preset_; }
  const Settings& settings() const { return settings_; }

  // The sticky error, if there is one.
  Status status() const;
  // The same for a call that waited, or that returns that error: it is said, once. What kernels printed goes out here,
  // not when they end: between the program's own lines it has its place.
  Status outcome();

  // ---- memory: addresses are device addresses ----
  Result<uint64_t> allocate(uint64_t bytes);
  // For work of the stream: memory of the same size that was freed in it before is taken again at once.
  Result<uint64_t> allocate(uint64_t bytes, const Stream& stream);
  // Memory that the host reaches by the same addresses, while the device has no work (managed.h).
  Result<uint64_t> allocate_managed(uint64_t bytes);
  // The addresses that reserve_window() has set aside; without them allocate_managed() fails.
  void set_window(uint64_t address, uint64_t bytes) { managed_.set_window(address, bytes); }
  bool is_managed(uint64_t address, uint64_t bytes = 1) const { return managed_.overlaps(address, bytes); }
  // A variable that the host has at `host`, where its contents are now; and its end, when they are there again.
  Status share_variable(uint64_t address, uint64_t bytes, void* host);
  Status unshare_variable(uint64_t address);
  // Waits for all work first, as cudaFree does.
  Status release(uint64_t address);
  // Behind what the stream holds, without waiting: nobody may use the memory any more, and it is free again when a call
  // has waited for the stream, or when there is no other memory left.
  Status release(uint64_t address, const Stream& stream);
  const DeviceAllocator& heap() const { return heap_; }
  // Whether the address lies in device memory at all.
  bool in_device_window(uint64_t address) const;
  // [address, address + bytes) lies within one allocation.
  bool is_allocated(uint64_t address, uint64_t bytes) const;

  // Pieces of one copy or fill, which run as one task.
  struct Piece {
    uint64_t destination, source, bytes;
  };
  enum class Direction { In, Out, Device };
  // Host memory for a copy to the device. Where it begins within a sector costs the device cycles, so it is always the
  // same.
  static std::shared_ptr<char[]> staging(size_t bytes);
  // `keep` holds the host memory alive until the copy ended; without it the caller does.
  Result<Sequence> copy(Direction direction, std::span<const Piece> pieces, std::shared_ptr<const void> keep = {},
                        Stream* stream = nullptr);
  // Each piece's `source` is the pattern.
  Result<Sequence> fill(std::span<const Piece> pieces, Stream* stream = nullptr);
  Result<Sequence> copy_in(uint64_t destination, const void* source, uint64_t bytes,
                           std::shared_ptr<const void> keep = {});
  Result<Sequence> copy_out(void* destination, uint64_t source, uint64_t bytes);
  Result<Sequence> copy_device(uint64_t destination, uint64_t source, uint64_t bytes);
  Result<Sequence> fill(uint64_t destination, uint32_t pattern, uint64_t bytes);

  // ---- code ----
  // Links the cubin and places it in device memory: code, globals, constants.
  Result<Module*> load(formats::Cubin cubin);
  // Takes it away, and gives its memory back, once all work is done. Error: the device has failed; all stays until
  // reset.
  Status unload(const Module& module);

  // `params`: the kernel's parameter block, info->param_bytes long, copied before this returns.
  Result<Sequence> launch(const Kernel& kernel, const LaunchShape& shape, uint64_t max_dynamic_shared,
                          const void* params, Stream* stream = nullptr);

  // ---- order and time ----
  // A mark in the queue: `done` runs when all earlier work has ended, with the device cycle then.
  // `what` is its name in the timeline.
  Result<Sequence> mark(std::function<void(uint64_t cycle)> done, Stream* stream = nullptr, const char* what = "event");
  // Runs `function` on the host after all earlier work. What it throws becomes the sticky error. `when_dropped`: it is
  // called also when the device failed before its turn.
  Result<Sequence> host(Task::Host function, bool when_dropped = false, Stream* stream = nullptr);
  std::shared_ptr<Stream> legacy_stream() const { return streams_.legacy(); }
  std::shared_ptr<Stream> open_stream(bool blocking) { return streams_.open(blocking); }
  // Its work goes on.
  void close_stream(const std::shared_ptr<Stream>& stream) { streams_.close(stream, *queue_); }
  Sequence submitted() const { return queue_->submitted(); }
  // Waits, hands out what kernels printed, and returns the sticky error if there is one.
  Status synchronize(Sequence s);
  Status synchronize(const Stream& stream);
  // For what the stream's next task would wait for.
  Status synchronize_before(const Stream& stream);
  // For everything submitted before.
  Status synchronize();
  // The same, and until nobody else has submitted anything: no task is left until the lock is given up.
  Status wait_idle();
  // Works a little; true when all of them have completed.
  Result<bool> query(Sequence s) { return query(std::vector{s}); }
  Result<bool> query(const Stream& stream) { return query(streams_.pending(stream)); }

  // Whether the device counts clock cycles; the golden model does not.
  bool has_clock() const { return has_clock_; }
  // Device time of `cycles` at the preset's clock.
  double milliseconds(double cycles) const { return cycles / preset_.runtime.clock_khz; }

  // Bytes of stack for a kernel whose need is unknown (recursion, indirect calls, alloca).
  void set_stack_bytes(uint64_t bytes) { stack_bytes_ = bytes; }
  uint64_t stack_bytes() const { return stack_bytes_; }
  // Bytes; before the first kernel that can print is launched.
  Status set_printf_bytes(uint64_t bytes) { return printf_.resize(bytes); }
  uint64_t printf_bytes() const { return printf_.bytes(); }
  // The same for malloc's heap.
  Status set_heap_bytes(uint64_t bytes) { return device_heap_.resize(bytes); }
  uint64_t heap_bytes() const { return device_heap_.bytes(); }

  // ---- reporting ----
  // What ran so far, with the device's own counts.
  Report report();
  // Nothing moves any more; what is left of the work is dropped, and calls say `why`.
  void stop(const Error& why);
  // At the program's end: the work is finished first, but for a host function that calls here or does not end. False:
  // other threads wait in here, and the object must stay.
  bool finish();
  // Closes the device; only report() may be called afterwards. Error: the waveform that was asked for is not
  // there or not whole.
  Status close();
  // The last comparisons with the golden model, before close(). An Error when one fails, device memory as a whole among
  // them, and when a lockstep run retired instructions and compared none.
  Status check_lockstep();

 private:
  Context(const Settings& settings, const Preset& preset, std::string program, std::FILE* out, std::FILE* err);
  Status open(const std::string& preset_file, const heddle_transport* transport, std::mutex* lock);
  device::OpenOptions open_options(bool chosen) const;
  // Checks identity and programs what is set at run time; after opening and after a reset.
  Status configure() { return configure(*backend_, *queue_); }
  Status configure(device::Backend& backend, Queue& queue);
  void place_code_registers(device::Backend& backend);
  // On the chosen device, with the memory as it is; between tasks.
  void run_chosen(Task commands);
  // Where memory in use ends, in whole pages, from the base on; tells the device: beyond it every access faults, page
  // by page, as on silicon.
  uint64_t window_in_use() const;
  void limit_window(uint64_t bytes);
  Result<Sequence> submit(Task task, Stream* stream);
  void look_for_clock();
  // Makes the task tell the timeline of itself.
  void trace(Task& task, const Stream* stream);
  Status synchronize(const std::vector<Sequence>& all);
  // After a wait for that stream, or for all: what was freed there before the wait, up to that count, is free. What the
  // device happens to have ended besides is not looked at, so that addresses do not depend on the host's speed.
  Status reclaim(uint64_t frees, const Stream* stream);
  // Until no task runs, whatever is queued: none begins until the lock is given up.
  Status wait_between_tasks();
  Result<bool> query(const std::vector<Sequence>& all);
  // Moves managed memory: in front of work on it, behind all submitted work.
  Status lend_managed();
  Status bring_managed_home();
  // Of these pieces, what the device has written as far as it can tell.
  std::vector<ManagedMemory::Piece> written(std::vector<ManagedMemory::Piece> pieces);
  Status exchange(std::function<void(std::vector<Task::Item>&)> begin, bool to_device);
  Status place(const formats::Cubin& cubin, Placement& placement);
  Status place_code(uint32_t pc, const std::vector<uint64_t>& code);
  void release(const Placement& placement, const formats::Cubin& cubin);
  Status reserve_local(uint64_t bytes);
  Status free_old_local();
  // Where a link-time symbol of the driver's lies.
  std::optional<uint64_t> own_address(std::string_view symbol) const;
  // The copy that gives a cooperative launch its workspace, as if no block had arrived at the grid's barrier.
  Result<Task::Item> clear_workspace();
  // What functions of the device runtime need that the module calls: runtime block, printf's buffer, malloc's heap.
  Status place_runtime(const Module& module);
  // Between tasks: fetches what kernels printed; a failed assertion becomes the sticky error.
  void take_output();
  bool copy_now(uint64_t destination, uint64_t source, uint64_t bytes, uint64_t flags);
  // Adds the launch in the ring to the report, with the counters as they stand.
  void record_launch(const LaunchInfo& info, bool completed);
  void fail(const Failure& failure, const Task::Item* item);
  // The first one stays. Drops what is queued.
  void set_sticky(const Error& error);
  // After a failed command: resets the device and fetches what was printed before.
  void recover();
  std::string neighbourhood(uint64_t address) const;
  void observe();
  const LaunchInfo* running_launch() const;

  Settings settings_;
  Preset preset_;
  std::string program_;
  std::FILE* out_;
  std::FILE* err_;
  std::unique_ptr<device::Backend> backend_;
  std::unique_ptr<Queue> queue_;
  Streams streams_;
  DeviceAllocator heap_{0, 0};
  ManagedMemory managed_;
  struct Freed {
    uint64_t count = 0;  // of the frees until then, with it
    uint64_t bytes = 0;
    unsigned stream = 0;  // its number
    bool blocking = false;
  };
  std::map<uint64_t, Freed> freed_;  // in streams, by address
  uint64_t frees_ = 0;
  Sequence exchange_ = 0;  // the newest that moved managed memory
  uint64_t memory_base_ = 0, memory_bytes_ = 0;
  uint64_t window_bytes_ = 0;  // as the device knows it
  uint32_t sms_ = 0, warps_per_sm_ = 0;
  std::unique_ptr<CodeSegment> code_;
  std::vector<std::unique_ptr<Module>> modules_;
  uint64_t params_ = 0, params_bytes_ = 0;  // bank 0 of the launch that runs
  uint64_t local_ = 0, local_bytes_ = 0;    // local memory of all resident threads
  std::map<Sequence, uint64_t> old_local_;  // in use until that task ends
  uint64_t workspace_ = 0;                  // of cooperative launches
  uint64_t stack_bytes_ = 1024;
  PrintfFifo printf_;
  std::string printed_out_, printed_err_;  // for outcome()
  DeviceHeap device_heap_;
  uint32_t grid_id_ = 0;
  std::optional<Error> sticky_;
  bool told_ = false;        // sticky_ was printed
  bool recovering_ = false;  // from it
  bool has_clock_ = false;
  bool interrupted_launch_ = false;           // is in the report
  std::optional<std::thread::id> submitter_;  // of the first task
  bool one_thread_ = true;                    // submitted all
  Report report_;
  Progress progress_;
  heddle_stats launch_begin_{};  // when the running launch entered the ring
  std::chrono::steady_clock::time_point launch_began_{};
  const heddle_transport* chosen_transport_ = nullptr;
  std::string preset_file_;
  std::optional<Choice> choice_;
  std::unique_ptr<ChosenDevice> chosen_;    // opened for the first of its launches
  device::Backend* launched_on_ = nullptr;  // where the running launch is
  uint64_t code_bytes_ = 0;                 // as the device knows it
  std::unique_ptr<Engine> engine_;
};

}  // namespace heddle::driver
