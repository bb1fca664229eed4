// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/outcome.h"

#include <utility>

namespace heddle::driver {

Status Outcome::status() const {
  if (sticky_) return *sticky_;
  return {};
}

Status Outcome::tell() {
  if (!printed_out_.empty() || !printed_err_.empty()) progress_.clear();
  for (auto [text, file] : {std::pair(&printed_out_, out_), std::pair(&printed_err_, err_)}) {
    if (text->empty()) continue;
    std::fwrite(text->data(), 1, text->size(), file);
    std::fflush(file);
    text->clear();
  }
  if (!sticky_) return {};
  if (!told_ && sticky_->code() != Code::Assert) std::fprintf(err_, "heddle: %s\n", sticky_->message().c_str());
  told_ = true;
  return *sticky_;
}

void Outcome::note(const Error& error) {
  if (sticky_) return;
  sticky_ = error;
  summary_ = error.message().substr(0, error.message().find('\n'));
}

void Outcome::fail(const Error& error) {
  note(error);
  queue_.drop_all();
}

void Outcome::end(const Error& why) {
  if (!sticky_) sticky_ = why;
  told_ = true;
  queue_.drop_all();
}

void Outcome::print(const std::string& to_out, const std::string& to_err) {
  printed_out_ += to_out;
  printed_err_ += to_err;
}

}  // namespace heddle::driver
