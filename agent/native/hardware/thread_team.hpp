// Threads that do their parts of a piece of work at the same time, again and again.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace gdl {

// Pieces of work may be so short that a thread would take longer to fall asleep and wake up. So threads look for the
// next piece for a while, letting others run in between, before they sleep.
class ThreadTeam {
 public:
  // The calling thread belongs to the team, so `threads` - 1 others are started. Throws std::invalid_argument if there
  // is none.
  explicit ThreadTeam(int threads) : errors_(checked(threads)) {
    for (std::size_t number = 1; number < errors_.size(); ++number) {
      others_.emplace_back([this, number] { serve(number); });
    }
  }
  ~ThreadTeam() { announce(nullptr); }
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  // Calls work(0) in the calling thread, and work(1), work(2), … in the others. Returns when all have returned, or
  // throws what the first of them has thrown.
  void run(const std::function<void(std::size_t)>& work) {
    announce(&work);
    attempt(0);
    for (std::size_t busy = busy_; busy > 0; busy = busy_) await_change(busy_, busy);
    for (std::exception_ptr& error : errors_) {
      if (error) std::rethrow_exception(std::exchange(error, nullptr));
    }
  }

 private:
  static constexpr std::chrono::microseconds LOOKS{500};  // longer than most work of one thread between two pieces

  static std::size_t checked(int threads) {
    if (threads < 1) throw std::invalid_argument("a team needs a thread");
    return static_cast<std::size_t>(threads);
  }
  template <class Value>
  static void await_change(const std::atomic<Value>& value, Value old) {
    const auto begun = std::chrono::steady_clock::now();
    while (value == old) {
      if (std::chrono::steady_clock::now() - begun > LOOKS) return value.wait(old);
      std::this_thread::yield();
    }
  }
  void announce(const std::function<void(std::size_t)>* work) {
    work_ = work;
    busy_ = others_.size();
    ++piece_;
    piece_.notify_all();
  }
  void serve(std::size_t number) {
    for (std::uint32_t seen = 0;; ++seen) {
      await_change(piece_, seen);
      if (work_ == nullptr) return;
      attempt(number);
      if (--busy_ == 0) busy_.notify_all();
    }
  }
  void attempt(std::size_t number) {
    try {
      (*work_)(number);
    } catch (...) {
      errors_[number] = std::current_exception();
    }
  }

  const std::function<void(std::size_t)>* work_ = nullptr;  // nullptr: the others end
  std::vector<std::exception_ptr> errors_;                  // [thread]
  std::atomic<std::uint32_t> piece_{0};                     // the number of the piece of work
  std::atomic<std::size_t> busy_{0};                        // others that are at work
  std::vector<std::jthread> others_;
};

}  // namespace gdl
