// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value or an Error. The way every Heddle library reports failure: no exceptions cross a
// library boundary, nothing aborts the user's process.
//
//   Result<Module> load(...);
//   auto m = load(...);
//   if (!m) return m.error().context("while loading a.cubin");
//   use(*m);
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "heddle/error_codes.h"

namespace heddle {

// What went wrong, in words for a person: the cause first, then the place. `code` is what the API layer shall return
// (Success: the caller decides).
class Error {
 public:
  explicit Error(std::string message, Code code = Code::Success) : message_(std::move(message)), code_(code) {}

  const std::string& message() const { return message_; }
  Code code() const { return code_; }
  // The code, or `otherwise` where there is none.
  Code code_or(Code otherwise) const { return code_ == Code::Success ? otherwise : code_; }

  // The same error, with `where` put before its message ("where: message").
  Error context(const std::string& where) const { return Error(where + ": " + message_, code_); }

 private:
  std::string message_;
  Code code_;
};

// A value of T or an Error; [[nodiscard]] so that none is dropped. Accessing the wrong side is a
// programming error (std::get throws std::bad_variant_access).
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }
  T& value() { return std::get<T>(state_); }
  const T& value() const { return std::get<T>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace heddle
