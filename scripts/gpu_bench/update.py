"""Updates of the PyTorch opponent: launched one operation at a time, or replayed from CUDA graphs."""
import torch
from torch import nn

from batches import TENSORS, to_device

CLIP_NORM = 1.0


class Eager:
    """Launches every operation of an update from Python."""

    def __init__(self, model, optimizer, device):
        self.model, self.optimizer, self.device = model, optimizer, device
        self.total = torch.zeros((), device=device)  # of the losses, so that none is read back per update

    def finish(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), CLIP_NORM)
        self.optimizer.step()

    def prepare(self, batches):
        """Runs a few updates, which load kernels and compile."""
        for batch in batches[:3]:
            self(batch)

    def __call__(self, batch):
        batch = to_device(batch, self.device)
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.model.write(batch, *self.model.read(batch.source, batch.host_lengths))
        loss.backward()
        self.finish()
        self.total += loss.detach()


class Recording:
    """The operations of `work`, as a CUDA graph. On the CPU, replaying calls `work` again."""

    def __init__(self, work, side, pool):
        """`side`: the stream to record on, or None on the CPU."""
        self.work = self.graph = None
        if side is None:
            self.work = work
            return
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            work()  # the first call of a kernel cannot be captured in a graph
        torch.cuda.current_stream().wait_stream(side)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, pool=pool, stream=side):
            work()

    def replay(self):
        if self.graph is None:
            self.work()
        else:
            self.graph.replay()


class Shape:
    """One shape of batches with its graph.

    What read() returns is computed outside the graph, because a packed sequence needs its lengths on the host. For a
    model whose read() returns nothing, the graph holds the whole update, including the optimiser.
    """

    def __init__(self, owner, batch):
        self.owner = owner
        self.batch = to_device(batch, owner.device)
        self.reads = [tensor.detach().clone().requires_grad_() for tensor in self.read()]
        self.written = []  # (parameter, gradient) pairs of the graph
        self.recording = Recording(self.work, owner.side, owner.pool)

    def read(self):
        return self.owner.model.read(self.batch.source, self.batch.host_lengths)

    def work(self):
        owner = self.owner
        for tensor in (*owner.model.parameters(), *self.reads):
            tensor.grad = None
        loss = owner.model.write(self.batch, *self.reads)
        loss.backward()
        owner.total += loss.detach()
        self.written = [(parameter, parameter.grad) for parameter in owner.model.parameters() if parameter.grad is not None]
        self.read_gradients = [tensor.grad for tensor in self.reads]
        if not self.reads:
            owner.finish()

    def run(self, batch):
        for name in TENSORS:
            getattr(self.batch, name).copy_(getattr(batch, name), non_blocking=True)
        self.batch = self.batch._replace(host_lengths=batch.host_lengths)
        if not self.reads:
            self.recording.replay()
            return
        self.owner.optimizer.zero_grad(set_to_none=True)
        reads = self.read()
        with torch.no_grad():
            for own, read in zip(self.reads, reads):
                own.copy_(read)
        self.recording.replay()
        for parameter, gradient in self.written:
            parameter.grad = gradient
        torch.autograd.backward(reads, self.read_gradients)
        self.owner.finish()


class Graphed(Eager):
    """Replays one CUDA graph per shape of batches."""

    def __init__(self, model, optimizer, device):
        super().__init__(model, optimizer, device)
        on_card = device.type == "cuda"
        self.pool = torch.cuda.graph_pool_handle() if on_card else None
        self.side = torch.cuda.Stream() if on_card else None  # one for all, since its memory is its own
        self.shapes = {}

    @staticmethod
    def key(batch):
        return (*batch.source.shape, len(batch.target_input))

    def prepare(self, batches):
        for batch in sorted(batches, key=lambda batch: -batch.source.numel() - batch.target_input.numel()):
            if self.key(batch) not in self.shapes:  # the largest first, so that smaller ones fit in its memory
                self.shapes[self.key(batch)] = Shape(self, batch)

    def __call__(self, batch):
        self.shapes[self.key(batch)].run(batch)
