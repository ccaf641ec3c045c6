"""The jobs of scripts/bench_gpu.sh: sizes, configs of attend, and the least work and memory traffic that they need."""
import dataclasses
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass(frozen=True)
class Job:
    name: str
    config: str            # relative to the root
    family: str            # recurrent, conditional or transformer
    vocabulary: int
    embedding: int
    encoder_layers: int
    encoder_hidden: int    # of one direction; in a Transformer, of the feed-forward layer
    decoder_layers: int
    decoder_hidden: int
    batch: int
    unit: str              # of batch: sentences, or tokens of the longer side
    window: int            # updates between two measurements
    corpus: str            # multi30k or large
    bridge: str = "zero"   # last: the decoder starts from the encoder's last states
    dropout: float = 0.0
    smoothing: float = 0.0
    heads: int = 8

    def small(self):
        """The same job, small enough for a CPU; gnmt gets the sizes of gnmt-narrow (data.py)."""
        def less(size):
            return max(16, size // 16)
        return dataclasses.replace(
            self, vocabulary=min(self.vocabulary, 2000), embedding=less(self.embedding),
            encoder_hidden=less(self.encoder_hidden), decoder_hidden=less(self.decoder_hidden),
            encoder_layers=min(self.encoder_layers, 4), decoder_layers=min(self.decoder_layers, 4),
            batch=16 if self.unit == "sentences" else 400, window=2, heads=4)

    @property
    def saving_seconds(self):
        """At most how many seconds attend needs for its first checkpoint (gigabytes in the large jobs), which it counts."""
        return 8 if self.corpus == "large" else 0

    @property
    def memory(self):
        """Size of an encoder output."""
        return self.embedding if self.family == "transformer" else 2 * self.encoder_hidden

    def overrides(self):
        """Settings that give attend's config the sizes of this job."""
        encoder = {"feed_forward": self.encoder_hidden} if self.family == "transformer" else {"hidden": self.encoder_hidden}
        decoder = {"feed_forward": self.encoder_hidden} if self.family == "transformer" else {"hidden": self.decoder_hidden}
        settings = {"tokenizer.vocabulary": self.vocabulary, "model.embedding": self.embedding,
                    "model.encoder.layers": self.encoder_layers, "model.decoder.layers": self.decoder_layers,
                    "training.batch.size": self.batch, "training.log_every": self.window}
        if self.family == "transformer":
            settings.update({"model.encoder.heads": self.heads, "model.decoder.heads": self.heads,
                             "model.attention.heads": self.heads})
        settings.update({f"model.encoder.{key}": value for key, value in encoder.items()})
        settings.update({f"model.decoder.{key}": value for key, value in decoder.items()})
        return settings

    # ---- multiply-adds of a forward pass

    def source_products(self):
        """Multiply-adds per source token, attention inside an encoder left out."""
        e, h, layers, memory = self.embedding, self.encoder_hidden, self.encoder_layers, self.memory
        if self.family == "transformer":
            return layers * (4 * e * e + 2 * e * h) + self.decoder_layers * 2 * e * e
        gates = 4 if self.family == "recurrent" else 3
        return (2 * gates * h * (e + h) + (layers - 1) * 2 * gates * h * (memory + h)
                + memory * self.decoder_hidden)

    def step_products(self):
        """Multiply-adds per target token that a recurrent decoder cannot do before the step."""
        d, memory = self.decoder_hidden, self.memory
        if self.family == "conditional":
            return 3 * d * d + 3 * d * (memory + d) + d * d
        return 4 * d * 2 * d + (self.decoder_layers - 1) * 4 * d * 2 * d + d * d + (memory + d) * d

    def target_products(self):
        """Multiply-adds per target token, output layer included."""
        e, d, vocabulary = self.embedding, self.decoder_hidden, self.vocabulary
        if self.family == "transformer":
            return self.decoder_layers * (6 * e * e + 2 * e * self.encoder_hidden) + e * vocabulary
        if self.family == "conditional":
            return self.step_products() + 3 * d * e + (d + self.memory + e) * e + e * vocabulary
        return self.step_products() + 4 * d * e + d * vocabulary

    def flop(self, source_tokens, target_tokens, training=True):
        """Floating-point operations; a backward pass costs twice the forward pass."""
        products = source_tokens * self.source_products() + target_tokens * self.target_products()
        return 2 * products * (3 if training else 1)

    def parameters(self):
        tables = {"recurrent": 3, "conditional": 2, "transformer": 1}[self.family]
        own_output = self.vocabulary * (self.decoder_hidden if self.family == "recurrent" else self.embedding)
        return (self.source_products() + self.target_products() - own_output
                + (tables - 1) * self.vocabulary * self.embedding + own_output)

    def update_bytes(self, source_tokens, target_tokens, steps, width):
        """Fewest bytes of an update. Each parameter is read twice in `width` bytes, and its gradient and Adam's moments
        are read and written in f32. The logits are written and read in `width`. A decoder loop reads its weights once
        per step forward and once backward, and attention reads the source again for each target token."""
        amount = self.parameters() * (2 * width + 8 + 24) + 2 * width * target_tokens * self.vocabulary
        if self.family != "transformer":
            length = source_tokens / max(1.0, target_tokens / steps)
            amount += 2 * steps * width * self.step_products()
            amount += 3 * width * target_tokens * length * (self.memory + self.decoder_hidden)
        return amount


JOBS = {job.name: job for job in (
    Job("reference", "tests/bench/reference.yaml", "recurrent", 8000, 512, 1, 512, 1, 512, 80, "sentences", 50, "multi30k",
        bridge="last"),
    Job("gnmt", "tests/bench/gnmt.yaml", "recurrent", 32000, 1024, 4, 512, 4, 1024, 8800, "tokens", 10, "large"),
    Job("transformer", "tests/bench/transformer.yaml", "transformer", 32000, 512, 6, 2048, 6, 512, 25000, "tokens", 5,
        "large", dropout=0.1, smoothing=0.1),
    Job("recipe", "configs/multi30k_en_de.yaml", "conditional", 10000, 256, 1, 256, 1, 256, 64, "sentences", 100,
        "multi30k", dropout=0.5, smoothing=0.1),
)}
