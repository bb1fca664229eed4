// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/engine.h"

#include <signal.h>

#include <chrono>
#include <exception>
#include <system_error>

#include "host-runtime/driver/interrupt.h"

namespace heddle::driver {
namespace {

// At the program's end, for a host function to end.
constexpr auto kPatience = std::chrono::seconds(2);

// The lock that the caller holds, for a condition variable.
class Held {
 public:
  explicit Held(std::mutex& lock) : lock_(lock, std::adopt_lock) {}
  ~Held() { lock_.release(); }
  std::unique_lock<std::mutex>& operator*() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

class Counted {
 public:
  explicit Counted(int& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }

 private:
  int& count_;
};

}  // namespace

Engine::Engine(device::Backend& backend, Queue& queue, std::mutex* lock, std::function<void(const std::string&)> thrown)
    : queue_(queue), lock_(lock), thrown_(std::move(thrown)) {
  if (!lock_) return;
  serve(backend, queue);
  // Signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const auto start = [this] {
    device_thread_ = std::thread([this] { run_device(); });
    host_thread_ = std::thread([this] { run_hosts(); });
  };
  try {
    start();
  } catch (const std::system_error&) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    end_threads();
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Engine::~Engine() { stop(); }

bool Engine::may_work() const { return !busy_ && holds_ == 0 && !stopping_ && !interrupt_requested(); }

void Engine::serve(device::Backend& backend, Queue& queue) {
  if (lock_) queue.set_wait([this, &backend](uint64_t cycles) { return let_work(backend, cycles); });
}

void Engine::run_empty(Queue& queue) {
  while (!queue.idle() && !stopping_) {
    if (lock_) {
      Held held(*lock_);
      changed_.wait(*held, [this] { return stopping_ || (holds_ == 0 && !interrupt_requested()); });
    } else if (interrupt_requested()) {
      finish_interrupt();
    }
    if (!stopping_) queue.work();
  }
}

int Engine::let_work(device::Backend& backend, uint64_t cycles) {
  busy_ = true;
  lock_->unlock();
  const int result = backend.wait(cycles);
  lock_->lock();
  busy_ = false;
  changed_.notify_all();
  return result;
}

void Engine::call(const Queue::Call& call) {
  if (lock_) lock_->unlock();
  std::string thrown;
  try {
    call.function(call.dropped);
  } catch (const std::exception& e) {
    thrown = std::string("an exception: ") + e.what();
  } catch (...) {
    thrown = "an exception: not a std::exception";
  }
  if (lock_) lock_->lock();
  if (!thrown.empty()) thrown_(thrown);
  queue_.host_done(call.sequence);
  changed_.notify_all();
}

// ---- threads -----------------------------------------------------------------------------------------

void Engine::run_device() {
  std::unique_lock lock(*lock_);
  while (!stopping_) {
    if (!may_work() || !queue_.work()) changed_.wait(lock);
  }
}

void Engine::run_hosts() {
  std::unique_lock lock(*lock_);
  while (!stopping_) {
    if (const auto next = queue_.next_host()) call(*next);
    else changed_.wait(lock);
  }
}

void Engine::end_threads() {
  stopping_ = true;
  changed_.notify_all();
  // A host function that runs at the program's end, or that ended it.
  if (ending_ && queue_.host_runs() && host_thread_.joinable()) host_thread_.detach();
  for (std::thread* thread : {&device_thread_, &host_thread_}) {
    if (!thread->joinable()) continue;
    lock_->unlock();
    thread->join();
    lock_->lock();
  }
}

void Engine::stop() {
  if (!lock_ || stopping_) return;
  end_threads();
  Held held(*lock_);
  changed_.wait(*held, [this] { return waiters_ == 0 && apart_ == 0 && holds_ == 0 && !busy_; });
}

bool Engine::finish() {
  if (!lock_) return wait_through(queue_.submitted());
  if (stopping_) return true;
  ending_ = true;
  {
    Held held(*lock_);
    changed_.wait(*held, [this] { return apart_ == 0; });
  }
  if (!from_host_function()) {
    Held held(*lock_);
    auto moved = std::chrono::steady_clock::now();
    const Sequence last = queue_.submitted();  // other threads may go on submitting
    while (!queue_.done_through(last)) {
      const bool stuck = !busy_ && queue_.host_runs() && std::chrono::steady_clock::now() - moved >= kPatience;
      if (stuck || interrupt_requested()) break;
      if ((may_work() && queue_.work()) || changed_.wait_for(*held, kPatience) == std::cv_status::no_timeout || busy_)
        moved = std::chrono::steady_clock::now();
    }
  }
  const bool runs = queue_.host_runs();
  end_threads();
  hold();
  return !runs && waiters_ == 0;
}

// ---- waiting -----------------------------------------------------------------------------------------

bool Engine::work_without_lock() {
  if (queue_.work()) return true;
  const auto next = queue_.next_host();
  if (next) call(*next);
  return next.has_value();
}

bool Engine::wait_until(const std::function<bool()>& reached) {
  if (!lock_) {
    while (!reached() && !interrupt_requested() && work_without_lock()) {
    }
    return !interrupt_requested();
  }
  if (reached()) return true;
  {
    const Counted waiter(waiters_);
    Held held(*lock_);
    while (!reached() && (!stopping_ || ending_))
      if (!may_work() || !queue_.work()) changed_.wait(*held);
  }
  if (stopping_) changed_.notify_all();
  return true;
}

bool Engine::wait(Sequence s) {
  return wait_until([&] { return queue_.done(s); });
}

bool Engine::wait_through(Sequence s) {
  return wait_until([&] { return queue_.done_through(s); });
}

bool Engine::wait_idle() {
  return wait_until([&] { return queue_.idle() && !busy_; });
}

void Engine::hold() {
  if (!lock_) return;
  {
    const Counted held_up(holds_);
    Held held(*lock_);
    changed_.wait(*held, [this] { return !busy_; });
  }
  changed_.notify_all();
}

void Engine::poll() {
  if (!lock_) {
    if (!interrupt_requested()) work_without_lock();
    return;
  }
  {
    const Counted waiter(waiters_);
    lock_->unlock();
    std::this_thread::yield();
    lock_->lock();
  }
  if (stopping_) changed_.notify_all();
}

void Engine::apart(const std::function<void()>& function) {
  if (!lock_ || ending_) return function();
  struct Apart {
    explicit Apart(Engine& e) : engine(e) {
      ++engine.apart_;
      engine.lock_->unlock();
    }
    ~Apart() {
      engine.lock_->lock();
      --engine.apart_;
      engine.changed_.notify_all();
    }
    Engine& engine;
  } const apart(*this);
  function();
}

}  // namespace heddle::driver
