"""A Transformer of attend's configs/transformer_base.yaml in PyTorch: normalisation before each sublayer, one tied
embedding, scaled_dot_product_attention, matrices of queries, keys and values joined, no bias in attention."""
import math

import torch
import torch.nn.functional as F
from torch import nn

from batches import PAD
from recurrent import output_loss

LONGEST = 512


def sinusoids(size):
    angles = torch.outer(torch.arange(LONGEST), torch.exp(torch.arange(size // 2) * (-2 * math.log(10000) / size)))
    return torch.stack([angles.sin(), angles.cos()], 2).flatten(1)


class Attention(nn.Module):
    """The queries read x; keys and values read `memory`, or x too if there is none."""

    def __init__(self, size, heads, dropout, crosses=False):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.joined = None if crosses else nn.Linear(size, 3 * size, bias=False)
        self.query = nn.Linear(size, size, bias=False) if crosses else None
        self.pair = nn.Linear(size, 2 * size, bias=False) if crosses else None
        self.out = nn.Linear(size, size, bias=False)

    def split(self, x, parts):
        return x.unflatten(2, (parts, self.heads, -1)).permute(2, 0, 3, 1, 4)  # [parts, B, heads, L, size / heads]

    def forward(self, x, memory=None, mask=None, causal=False):
        if memory is None:
            query, key, value = self.split(self.joined(x), 3)
        else:
            query, = self.split(self.query(x), 1)
            key, value = self.split(self.pair(memory), 2)
        found = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=causal,
                                               dropout_p=self.dropout if self.training else 0.0)
        return self.out(found.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, job, crosses):
        super().__init__()
        size, dropout = job.embedding, job.dropout
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(3 if crosses else 2))
        self.own = Attention(size, job.heads, dropout)
        self.cross = Attention(size, job.heads, dropout, crosses=True) if crosses else None
        self.inner, self.outer = nn.Linear(size, job.encoder_hidden), nn.Linear(job.encoder_hidden, size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask, memory=None):
        """mask [B, 1, 1, S]: of the source. With `memory`, a layer of the decoder."""
        own_mask = mask if memory is None else None
        x = x + self.dropout(self.own(self.norms[0](x), mask=own_mask, causal=memory is not None))
        if memory is not None:
            x = x + self.dropout(self.cross(self.norms[1](x), memory, mask))
        inner = self.dropout(F.relu(self.inner(self.norms[-1](x))))
        return x + self.dropout(self.outer(inner))


class Transformer(nn.Module):
    def __init__(self, job, dtype=torch.float32, compiled=False):
        super().__init__()
        self.job, self.dtype = job, dtype
        self.embedding = nn.Embedding(job.vocabulary, job.embedding)
        self.bias = nn.Parameter(torch.zeros(job.vocabulary))
        self.encoder = nn.ModuleList(Layer(job, crosses=False) for _ in range(job.encoder_layers))
        self.decoder = nn.ModuleList(Layer(job, crosses=True) for _ in range(job.decoder_layers))
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(job.embedding), nn.LayerNorm(job.embedding)
        self.register_buffer("places", sinusoids(job.embedding), persistent=False)
        self.dropout = nn.Dropout(job.dropout)
        self.output_loss = torch.compile(output_loss, dynamic=True) if compiled else output_loss
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        nn.init.normal_(self.embedding.weight, std=job.embedding**-0.5)
        if compiled:
            for layer in (*self.encoder, *self.decoder):
                layer.compile(dynamic=True)

    def embed(self, words):
        """words [B, L]."""
        return self.dropout(self.embedding(words) * math.sqrt(self.job.embedding) + self.places[:words.size(1)])

    def read(self, source, host_lengths):
        """Computes nothing in advance: write() does it all."""
        del source, host_lengths
        return ()

    def write(self, batch):
        """Mean label-smoothed cross-entropy of the target tokens."""
        source = batch.source.t()
        with torch.autocast(source.device.type, torch.bfloat16, enabled=self.dtype == torch.bfloat16):
            mask = source.ne(PAD)[:, None, None, :]
            memory = self.embed(source)
            for layer in self.encoder:
                memory = layer(memory, mask)
            memory, x = self.encoder_norm(memory), self.embed(batch.target_input.t())
            for layer in self.decoder:
                x = layer(x, mask, memory)
            return self.output_loss(self.decoder_norm(x).flatten(0, 1), self.embedding.weight, self.bias,
                                    batch.target_output.t().flatten(), self.job.smoothing)
