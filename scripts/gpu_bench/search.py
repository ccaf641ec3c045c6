"""Beam search of the PyTorch opponent. Everything stays on the device, in tensors of fixed shape, so that a step can be a
CUDA graph. The host asks every few steps whether all sentences are finished."""
import torch
import torch.nn.functional as F

from batches import BOS, EOS, pad, up
from recurrent import Source, State
from update import Recording

CHECK_EVERY = 4


class Search:
    """Searches for batches of up to `sentences` sentences with up to `positions` source positions. The best `beam - ended`
    continuations of a sentence stay, until none can beat the best finished one."""

    def __init__(self, model, sentences, positions, beam, device, graphs, streams):
        self.model, self.beam, self.device = model, beam, device
        self.steps = 2 * positions + 12
        self.loop = model.loop()
        self.input, self.output = ((layer.weight.to(model.dtype), layer.bias.to(model.dtype))
                                   for layer in (model.input, model.output))
        self.embedding = model.target_embedding.weight.to(model.dtype)
        self.allocate(sentences, positions)
        self.load([[EOS]] * sentences)
        self.recording = Recording(self.step, *streams) if graphs else None

    def allocate(self, sentences, positions):
        rows, size, job = sentences * self.beam, self.model.job.decoder_hidden, self.model.job
        like = {"dtype": self.model.dtype, "device": self.device}
        def zeros(*shape):
            return torch.zeros(shape, **like)
        self.source = Source(zeros(sentences, positions, job.memory), zeros(sentences, positions, size),
                             zeros(sentences, 1, positions))
        hidden, cell = (tuple(zeros(rows, size) for _ in range(job.decoder_layers)) for _ in range(2))
        self.state = State(zeros(rows, size), hidden, cell)
        on = {"device": self.device}
        self.time = torch.zeros(1, dtype=torch.long, **on)
        self.last = torch.zeros(sentences, self.beam, dtype=torch.long, **on)
        self.scores = torch.zeros(sentences, self.beam, **on)
        self.best, self.limit = torch.zeros(sentences, **on), torch.zeros(sentences, **on)
        self.ended = torch.zeros(sentences, dtype=torch.long, **on)
        self.best_place = torch.zeros(2, sentences, dtype=torch.long, **on)  # step and slot
        self.tokens, self.parents = torch.zeros(2, self.steps, sentences, self.beam, dtype=torch.long, **on)
        self.slots = torch.arange(self.beam, **on)
        self.first_rows = self.beam * torch.arange(sentences, **on).unsqueeze(1)

    def load(self, sources):
        """`sources` by descending length; encodes them and starts. Missing sentences count as finished."""
        count, positions = self.source.memory.size(0), self.source.memory.size(1)
        padded = sources + [[EOS]] * (count - len(sources))
        host_lengths = [len(source) for source in padded]
        lengths = torch.tensor(host_lengths).to(self.device)
        memory, *last = self.model.read(pad(padded, positions).to(self.device), host_lengths)
        prepared = self.model.prepare(lengths, memory)
        for own, new in zip(self.source, prepared):
            own.copy_(new)
        start = self.model.start(memory, *last)
        for own, new in zip((self.state.feed, *self.state.hidden, *self.state.cell),
                            (start.feed, *start.hidden, *start.cell)):
            own.copy_(new.repeat_interleave(self.beam, 0))
        self.limit.copy_((lengths - 1) * 2 + 10)
        self.time.zero_()
        self.ended.zero_()
        self.best_place.zero_()
        self.last.fill_(BOS)
        self.best.fill_(-torch.inf)
        self.scores.fill_(-torch.inf)
        self.scores[:len(sources), 0] = 0

    def log_probs(self):
        projected = F.linear(F.embedding(self.last.flatten(), self.embedding), *self.input)
        state = self.model.step(self.loop, projected, self.state, self.source, self.model.cell)
        logits = F.linear(state.feed, *self.output).float()
        normaliser = logits.logsumexp(1, keepdim=True)
        logits[:, :EOS] = -torch.inf
        values, tokens = logits.topk(self.beam, 1, sorted=False)
        return state, (values - normaliser).view(-1, self.beam, self.beam), tokens.view(-1, self.beam * self.beam)

    def step(self):
        state, log_probs, tokens = self.log_probs()
        length = self.time + 1  # of a translation that ends here, with its end symbol
        scores, cells = (self.scores.unsqueeze(2) + log_probs).flatten(1).topk(self.beam, 1)
        tokens, parents = tokens.gather(1, cells), cells // self.beam
        scores = scores.masked_fill(self.slots >= self.beam - self.ended.unsqueeze(1), -torch.inf)
        ends = ((tokens == EOS) | (self.limit < length).unsqueeze(1)) & (scores > -torch.inf)
        found, slot = (scores / length).masked_fill(~ends, -torch.inf).max(1)
        better = found > self.best
        self.best_place.copy_(torch.where(better, torch.stack([self.time.expand_as(slot), slot]), self.best_place))
        self.best.copy_(torch.maximum(self.best, found))
        scores = scores.masked_fill(ends, -torch.inf)
        self.ended += ends.sum(1)
        hopeless = self.best >= scores.max(1)[0] / (self.limit + 1)
        self.scores.copy_(scores.masked_fill(hopeless.unsqueeze(1), -torch.inf))
        self.tokens.index_copy_(0, self.time, tokens.unsqueeze(0))
        self.parents.index_copy_(0, self.time, parents.unsqueeze(0))
        self.last.copy_(tokens)
        rows = (parents + self.first_rows).flatten()
        for own, new in zip((self.state.feed, *self.state.hidden, *self.state.cell),
                            (state.feed, *state.hidden, *state.cell)):
            torch.index_select(new, 0, rows, out=own)
        self.time += 1

    def run(self, sources):
        self.load(sources)
        for done in range(1, self.steps + 1):
            if self.recording:
                self.recording.replay()
            else:
                self.step()
            if done % CHECK_EVERY == 0 and not bool((self.scores > -torch.inf).any()):
                break
        return self.results(len(sources))

    def results(self, count):
        tokens, parents, place = (tensor.tolist() for tensor in (self.tokens, self.parents, self.best_place))
        found = []
        for sentence in range(count):
            words, slot = [], place[1][sentence]
            for time in range(place[0][sentence], -1, -1):
                words.append(tokens[time][sentence][slot])
                slot = parents[time][sentence][slot]
            found.append(words[::-1])
        return found


class Translator:
    """One Search for each shape of batches so far."""

    def __init__(self, model, beam, device, graphs):
        self.model, self.beam, self.device, self.graphs = model, beam, device, graphs
        on_card = device.type == "cuda" and graphs
        self.streams = (torch.cuda.Stream(), torch.cuda.graph_pool_handle()) if on_card else (None, None)
        self.searches = {}

    def translate(self, sources, batch_size):
        """sources: lists of pieces with end symbols. Returns lists of pieces in their order."""
        order = sorted(range(len(sources)), key=lambda line: -len(sources[line]))
        found = [None] * len(sources)
        for begin in range(0, len(order), batch_size):
            lines = order[begin:begin + batch_size]
            key = (batch_size, up(len(sources[lines[0]]), 4))
            if key not in self.searches:
                self.searches[key] = Search(self.model, *key, self.beam, self.device, self.graphs, self.streams)
            for line, words in zip(lines, self.searches[key].run([sources[line] for line in lines])):
                found[line] = words
        return found
