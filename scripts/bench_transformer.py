"""The model of configs/transformer_multi30k.yaml without its position biases, built from PyTorch's
nn.TransformerEncoder and nn.TransformerDecoder. Part of bench_pytorch.py.

When translating in f32, the encoder uses PyTorch's fast path. The decoder of PyTorch 1.13 has no fast path and caches no
keys and values, so each step reads all words so far again, as its users' loops do. PyTorch's attention has bias vectors,
which attend's does not have; they stay 0.
"""
import math
import sys

import torch
import torch.nn.functional as F
from torch import nn

PAD, UNK, BOS, EOS = range(4)
SIZE, FEED_FORWARD, HEADS, LAYERS = 128, 256, 4, 4
RESIDUAL_DROPOUT, INNER_DROPOUT, SMOOTHING = 0.3, 0.0, 0.1
LONGEST = 1024


def sinusoids():
    angles = torch.outer(torch.arange(LONGEST), torch.exp(torch.arange(SIZE // 2) * (-2 * math.log(10000) / SIZE)))
    return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)


def set_dropout(layer):
    for name, module in layer.named_children():
        if isinstance(module, nn.MultiheadAttention):
            module.dropout = INNER_DROPOUT
        elif isinstance(module, nn.Dropout):
            module.p = INNER_DROPOUT if name == "dropout" else RESIDUAL_DROPOUT


class Transformer(nn.Module):
    def __init__(self, vocabulary, norm_first=False):
        super().__init__()
        sizes = {"d_model": SIZE, "nhead": HEADS, "dim_feedforward": FEED_FORWARD, "batch_first": True,
                 "norm_first": norm_first}

        def top():
            return nn.LayerNorm(SIZE) if norm_first else None

        self.embedding = nn.Embedding(vocabulary, SIZE)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(**sizes), LAYERS, top())
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**sizes), LAYERS, top())
        for layer in (*self.encoder.layers, *self.decoder.layers):
            set_dropout(layer)
        self.register_buffer("places", sinusoids(), persistent=False)
        self.register_buffer("ahead", torch.ones(LONGEST, LONGEST, dtype=torch.bool).triu(1), persistent=False)

    def initialize(self):
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        nn.init.normal_(self.embedding.weight, std=SIZE**-0.5)

    def embed(self, words):
        """words [B, L]."""
        x = self.embedding(words) * math.sqrt(SIZE) + self.places[:words.size(1)]
        return F.dropout(x, RESIDUAL_DROPOUT, self.training)

    def read(self, source):
        """source [B, S] -> memory [B, S, C] and its padding mask."""
        padding = source.eq(PAD)
        return self.encoder(self.embed(source), src_key_padding_mask=padding), padding

    def write(self, words, memory, padding):
        """words [B, T] -> states [B, T, C]."""
        length = words.size(1)
        return self.decoder(self.embed(words), memory, tgt_mask=self.ahead[:length, :length],
                            memory_key_padding_mask=padding)

    def output(self, states):
        return F.linear(states, self.embedding.weight, self.bias)

    def loss(self, batch):
        """Mean label-smoothed cross-entropy of the target tokens. Batches have time first."""
        states = self.write(batch.target_input.t(), *self.read(batch.source.t()))
        targets = batch.target_output.t().reshape(-1)
        real = targets.ne(PAD).nonzero().squeeze(1)
        logits = self.output(states.reshape(-1, SIZE).index_select(0, real)).float()
        return F.cross_entropy(logits, targets[real], label_smoothing=SMOOTHING)


def leave_fast_path(model):
    """Puts the encoder into training mode without dropout: PyTorch 1.13's fast path fails under autocast."""
    model.encoder.train()
    for module in model.encoder.modules():
        if isinstance(module, nn.MultiheadAttention):
            module.dropout = 0.0
        elif isinstance(module, nn.Dropout):
            module.p = 0.0


def take_attention(to, weights, name):
    to.in_proj_weight.copy_(torch.cat([weights[f"{name}.heads.{part}.weight"] for part in ("query", "key", "value")]))
    to.out_proj.weight.copy_(weights[f"{name}.heads.output.weight"])


def take_norm(to, weights, name):
    to.weight.copy_(weights[f"{name}.gain"])
    to.bias.copy_(weights[f"{name}.bias"])


def take_layer(layer, weights, name, parts):
    """`parts`: attend's names for the attentions and their normalisations, in order."""
    modules = zip(parts, (layer.self_attn, getattr(layer, "multihead_attn", None)), (layer.norm1, layer.norm2))
    for (part, norm), attention, own_norm in modules:
        take_attention(attention, weights, f"{name}.{part}")
        take_norm(own_norm, weights, f"{name}.{norm}")
    take_norm(layer.norm3 if len(parts) > 1 else layer.norm2, weights, f"{name}.feed_forward_norm")
    for own, theirs in ((layer.linear1, "inner"), (layer.linear2, "outer")):
        own.weight.copy_(weights[f"{name}.feed_forward.{theirs}.weight"])
        own.bias.copy_(weights[f"{name}.feed_forward.{theirs}.bias"])


@torch.no_grad()
def from_attend(weights):
    """The model with the tensors of a weights file of attend."""
    if any(name.endswith("scope.bias") for name in weights):
        sys.exit("bench_transformer.py: this model has position biases (scope: position_bias), which nn.Transformer lacks")
    norm_first = "encoder.norm.gain" in weights
    model = Transformer(len(weights["target_embedding.weight"]), norm_first)
    for parameter in model.parameters():
        parameter.zero_()
    model.embedding.weight.copy_(weights["target_embedding.weight"])
    model.bias.copy_(weights["output.bias"])
    for i in range(LAYERS):
        take_layer(model.encoder.layers[i], weights, f"encoder.layer{i}", [("self_attention", "self_attention_norm")])
        take_layer(model.decoder.layers[i], weights, f"decoder.layer{i}",
                   [("mixer.self_attention", "mixer_norm"), ("attention", "attention_norm")])
    if norm_first:
        take_norm(model.encoder.norm, weights, "encoder.norm")
        take_norm(model.decoder.norm, weights, "decoder.norm")
    return model.eval()
