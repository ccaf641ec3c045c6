#pragma once
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decode/search/beam_tree.h"
#include "server/api/context.h"
#include "server/api/translate_request.h"
#include "server/http/http.h"

namespace attend::server {

/// A request in the queue.
struct SearchCall {
  TranslateRequest request;
  std::string client;  ///< Request::client
  std::vector<app::SourceLine> lines;
  std::vector<std::vector<app::Translation>> translations;  ///< of each line
  std::optional<decode::BeamTree> tree;
  std::unique_ptr<decode::SearchControl> steps;  ///< observes the search; may be null
};

/// Searches the non-empty lines of the call, then calls `done` from any thread with an error or
/// null. An empty line gets one empty translation. Throws ApiError if the queue is full.
void search(const Context& context, const SharedExchange& exchange,
            const std::shared_ptr<SearchCall>& call,
            const std::function<void(std::exception_ptr)>& done);

/// Like search(), for a call whose first lines are wanted first: searches the lines in their order,
/// in groups of 1, 2, 4, ... 16 lines, and calls `found` with the lines [begin, end) of each group
/// once they and all before them have translations. `found` must not throw.
void search_in_order(const Context& context, const SharedExchange& exchange,
                     const std::shared_ptr<SearchCall>& call,
                     const std::function<void(std::size_t begin, std::size_t end)>& found,
                     const std::function<void(std::exception_ptr)>& done);

}  // namespace attend::server
