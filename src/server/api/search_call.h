#pragma once
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "decode/search/beam_tree.h"
#include "server/api/context.h"
#include "server/api/translate_request.h"
#include "server/http/http.h"

namespace attend::server {

/// A request on its way through the queue.
struct SearchCall {
  TranslateRequest request;
  std::vector<app::SourceLine> lines;
  std::vector<std::vector<app::Translation>> translations;  ///< of each line
  std::optional<decode::BeamTree> tree;
  std::unique_ptr<decode::SearchControl> steps;  ///< follows the search; null: nobody does
};

/// Searches the lines of the call that are not empty and then calls `done`, from whichever thread,
/// with an error or null. An empty line has one empty translation. Throws ApiError if the queue is
/// full.
void search(const Context& context, const SharedExchange& exchange,
            const std::shared_ptr<SearchCall>& call,
            const std::function<void(std::exception_ptr)>& done);

}  // namespace attend::server
