// Keys and other names of samples as Python has them.
#ifndef SHARDINE_BINDING_NAME_TEXT_H_
#define SHARDINE_BINDING_NAME_TEXT_H_

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace shardine::binding {

// A str, whatever the bytes: bytes that are not UTF-8 become surrogates
// ("surrogateescape"), and encode(..., "surrogateescape") gives all of them
// back, in any locale.
nanobind::object NameText(std::string_view bytes);

// Paths are bytes: names of files need not be UTF-8.
std::string TextOf(const nanobind::bytes& bytes);

}  // namespace shardine::binding

#endif  // SHARDINE_BINDING_NAME_TEXT_H_
