#!/usr/bin/env python3
"""Checks the #include lines of src/ against the order of its layers: check_layers.py [--self-test]

A folder may include itself and the folders before it in LAYERS, always by the path from src/. No file includes the whole
of LibTorch, and the folders in TORCH_FREE include nothing of it. The linker finds calls into a higher layer; this check
also finds headers.

ROOMS orders the sub-folders of a folder. A room may include itself and the rooms before it. Files directly in the folder
may include every room, and no room may include them, except the folder's options.h.
"""
import os
import re
import sys
import tempfile

LAYERS = ["core", "config", "text", "metrics", "align", "draw", "data", "kernels", "runtime", "distributed", "nn", "model",
          "storage", "decode", "train", "app", "server", "cli"]
ROOMS = {
    "kernels": "cpu product layer cells attention output loop device",
    "decode": "scoring step search attention forced",
    "app": "config model export attention lines terms translate document align evaluate explain run",
    "server": "http search nearest runs page api",
}
TORCH_FREE = ["core", "config", "text", "metrics", "align", "draw", "kernels"]

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def room_objection(file, header):
    """Why `file` may not include `header`, both paths from src/ in the same folder; None if it may."""
    folder = file.split("/")[0]
    rooms = ROOMS.get(folder, "").split()
    own, other = ("/".join(path.split("/")[1:2]) if path.count("/") > 1 else "" for path in (file, header))
    if not rooms or not own or own == other or header == f"{folder}/options.h":
        return None
    if own not in rooms:
        return f"{folder}/{own} is not in the list of rooms"
    if not other:
        return f"{folder}/{own} may not include headers directly in {folder}"
    if other not in rooms or rooms.index(other) > rooms.index(own):
        return f"{folder}/{other} is a higher room than {folder}/{own}"
    return None


def objection(file, bracket, header):
    """Why `file` (a path from src/) may not include `header`; None if it may."""
    folder = file.split("/")[0]
    if bracket == "<":
        if header == "torch/torch.h":
            return "the whole of LibTorch is slow to compile: include the narrow headers"
        if header.startswith(("torch/", "ATen/", "c10/")) and folder in TORCH_FREE:
            return f"{folder} may not use LibTorch"
        return None
    layer = header.split("/")[0]
    if "/" not in header or layer not in LAYERS:
        return f"write the path from src/, beginning with one of: {' '.join(LAYERS)}"
    if LAYERS.index(layer) > LAYERS.index(folder):
        return f"{layer} is a higher layer than {folder}"
    return room_objection(file, header) if layer == folder else None


def sources(root, folder):
    for directory, _, names in sorted(os.walk(os.path.join(root, folder))):
        for name in sorted(names):
            if name.endswith((".h", ".cpp")):
                yield os.path.join(directory, name)


def problems(root):
    """One line per wrong include below `root`, a folder like src/."""
    for folder in sorted(os.listdir(root)):
        if not os.path.isdir(os.path.join(root, folder)):
            continue
        if folder not in LAYERS:
            yield f"{root}/{folder}: not in the list of layers"
            continue
        for path in sources(root, folder):
            with open(path, encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    match = INCLUDE.match(line)
                    reason = match and objection(os.path.relpath(path, root), *match.groups())
                    if reason:
                        yield f"{path}:{number}: {match.group(2)}: {reason}"


# Expected result | folder | the only line of a source in it.
CASES = """\
bad|core|#include "config/schema.h"
bad|text|  #  include "nn/shape.h"
bad|nn|#include "model/seq2seq.h"
bad|kernels|#include "nn/shape.h"
bad|model|#include "seq2seq.h"
bad|model|#include "../nn/shape.h"
bad|train|#include <torch/torch.h>
bad|metrics|#include <torch/types.h>
bad|kernels|#include <ATen/ATen.h>
bad|helpers|#include <vector>
bad|app/config|#include "app/run/report.h"
bad|server/http|#include "server/server.h"
bad|server/pages|#include "server/http/url.h"
bad|decode/step|#include "decode/search/search.h"
bad|decode/search|#include "decode/length_batches.h"
good|decode/step|#include "decode/options.h"
good|app/run|#include "app/config/experiment.h"
good|server|#include "server/api/routes.h"
good|nn/rnn|#include "nn/fused/loop.h"
good|train|#include "core/error.h"
good|nn|#include <torch/types.h>
good|nn|#include "kernels/product/gemm.h"
good|core|#include "core/error.h"
good|align|#include <vector>
"""


def self_test():
    for case in CASES.splitlines():
        expected, folder, line = case.split("|")
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, folder))
            with open(os.path.join(root, folder, "a.cpp"), "w", encoding="utf-8") as source:
                source.write(line + "\n")
            found = list(problems(root))
        if bool(found) != (expected == "bad"):
            yield f"self-test: src/{folder} with {line} should be {expected}, but the check finds {found}"


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    wrong = list(self_test() if sys.argv[1:] == ["--self-test"] else problems("src"))
    for problem in wrong:
        print(problem, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
