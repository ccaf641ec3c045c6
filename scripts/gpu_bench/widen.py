"""Turns a small trained model of attend into a large one that computes the same.

The added units have random weights, but the old units read them with weight 0. So translating takes the work of the large
network, on ordinary numbers and with translations of realistic length, although the large network was never trained. The
words that are added to the vocabulary can never be chosen.
"""
import array
import collections
import json
import pathlib
import random
import re
import shutil
import struct
import zlib

NEVER = -1e4

# Rows or columns of a tensor that stay together: their number in the small model, and in the large one.
Block = collections.namedtuple("Block", "small large")


def read_tensors(path):
    """Names -> (shape, raw f32 data)."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    metadata = header.pop("__metadata__")
    return {name: (entry["shape"], data[slice(*entry["data_offsets"])]) for name, entry in header.items()}, metadata


def write_tensors(path, tensors, metadata):
    """A weights file of attend. Its checksum covers the header without the checksum itself, then the data."""
    header, offset = {}, 0
    for name, (shape, data) in sorted(tensors.items()):
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [offset, offset + len(data)]}
        offset += len(data)
    header["__metadata__"] = {key: value for key, value in metadata.items() if key != "checksum"}

    def text():
        return json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    checksum = zlib.crc32(text())
    for _, (_, data) in sorted(tensors.items()):
        checksum = zlib.crc32(data, checksum)
    header["__metadata__"]["checksum"] = f"crc32:{checksum:08x}"
    content = text()
    content += b" " * (-len(content) % 64)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(content)) + content)
        for _, (_, data) in sorted(tensors.items()):
            file.write(data)


def noise(count):
    """`count` random f32 numbers: one block, repeated."""
    rng = random.Random(1)
    block = array.array("f", (rng.uniform(-0.05, 0.05) for _ in range(100_003))).tobytes()
    return bytearray((block * (4 * count // len(block) + 1))[:4 * count])


def spread(shape, data, blocks, added=None, read_by_old=True):
    """The tensor with each block of each dimension at its place in the large one. Elsewhere it holds `added`, or random
    numbers. If old units read its rows (`read_by_old`), the added columns of the old rows are 0."""
    rows, columns = blocks if len(blocks) == 2 else (blocks[0], [Block(1, 1)])
    if [sum(block.small for block in side) for side in blocks] != shape:
        raise ValueError(f"a tensor of shape {shape} does not consist of the blocks {blocks}")
    width, large_width = (sum(getattr(block, kind) for block in columns) for kind in ("small", "large"))
    count = large_width * sum(block.large for block in rows)
    large = noise(count) if added is None else bytearray(struct.pack("<f", added) * count)
    row, large_row = 0, 0
    for block in rows:
        for i in range(block.small):
            begin, large_begin = 4 * (row + i) * width, 4 * (large_row + i) * large_width
            if read_by_old:
                large[large_begin:large_begin + 4 * large_width] = bytes(4 * large_width)
            for part in columns:
                large[large_begin:large_begin + 4 * part.small] = data[begin:begin + 4 * part.small]
                begin, large_begin = begin + 4 * part.small, large_begin + 4 * part.large
        row, large_row = row + block.small, large_row + block.large
    return [sum(block.large for block in side) for side in blocks], large


def blocks_of(name, small, large):
    """The blocks of each dimension of attend's tensor `name`; `small` and `large` are sizes of the jobs."""
    def block(size):
        return Block(getattr(small, size), getattr(large, size))
    words, embedding, unit, hidden = (block(size) for size in ("vocabulary", "embedding", "encoder_hidden", "decoder_hidden"))
    context = [unit, unit]  # both directions
    kind = re.sub(r"\d+", "0" if "layer0" in name else "1", name).replace("_forward", "").replace("_backward", "")
    table = {
        "source_embedding.weight": [[words], [embedding]], "target_embedding.weight": [[words], [embedding]],
        "output.weight": [[words], [hidden]], "output.bias": [[words]],
        "encoder.layer0.input_weight": [[unit] * 4, [embedding]], "encoder.layer1.input_weight": [[unit] * 4, context],
        "encoder.layer.recurrent_weight": [[unit] * 4, [unit]], "encoder.layer.bias": [[unit] * 4],
        "decoder.stack.layer0.input_weight": [[hidden] * 4, [embedding]],
        "decoder.stack.layer1.input_weight": [[hidden] * 4, [hidden]],
        "decoder.stack.layer.recurrent_weight": [[hidden] * 4, [hidden]], "decoder.stack.layer.bias": [[hidden] * 4],
        "decoder.feed.weight": [[hidden] * 4, [hidden]], "decoder.combine.weight": [[hidden], [*context, hidden]],
        "decoder.attention.score.key_weight": [[hidden], context],
        "decoder.attention.score.query_weight": [[hidden], [hidden]],
        "decoder.attention.score.bias": [[hidden]], "decoder.attention.score.vector": [[hidden]]}
    return table.get(kind) or table[re.sub(r"layer\d", "layer", kind)]


def widen_config(text, settings):
    """attend's complete config with other values at dotted keys."""
    lines, path = [], []
    for line in text.splitlines():
        found = re.match(r"( *)(\w+):", line)
        if found:
            path[len(found.group(1)) // 2:] = [found.group(2)]
            if ".".join(path) in settings:
                line = f"{found.group(1)}{found.group(2)}: {settings['.'.join(path)]}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def unused_pieces(begin, end):
    """SentencePiece pieces that never occur, as bytes to append to a model file (a protocol buffer)."""
    content = b""
    for piece in range(begin, end):
        text = f"<unused{piece}>".encode()
        message = b"\x0a" + bytes([len(text)]) + text + b"\x15" + struct.pack("<f", -float(piece)) + b"\x18\x05"
        content += b"\x0a" + bytes([len(message)]) + message
    return content


def widen(folder, output, small, large):
    """Writes a model folder with the sizes of the job `large` from one with the sizes of `small`."""
    output = pathlib.Path(output)
    output.mkdir(parents=True, exist_ok=True)
    tensors, metadata = read_tensors(folder / "best.safetensors")
    added = {"output.bias": NEVER, "decoder.attention.score.vector": 0.0}
    wide = {name: spread(shape, data, blocks_of(name, small, large), added.get(name), not name.endswith("embedding.weight"))
            for name, (shape, data) in tensors.items()}
    config = (folder / "config.yaml").read_text(encoding="utf-8")
    settings = {"tokenizer.vocabulary": large.vocabulary, "model.embedding": large.embedding,
                "model.encoder.hidden": large.encoder_hidden, "model.decoder.hidden": large.decoder_hidden}
    (output / "config.yaml").write_text(widen_config(config, settings), encoding="utf-8")
    shutil.copy(folder / "joint.model", output / "joint.model")
    with open(output / "joint.model", "ab") as file:
        file.write(unused_pieces(small.vocabulary, large.vocabulary))
    write_tensors(output / "best.safetensors", wide, metadata)
