"""The table of scripts/bench_gpu.sh: medians, ratios to PyTorch, and shares of the card's two ceilings."""
from jobs import JOBS

STEPS = {"reference": 15, "recipe": 15, "gnmt": 20, "transformer": 20}  # mean length of a target sentence
PRECISIONS = ("f32", "tf32", "bf16")


def number(value, digits=0):
    return "-" if value is None else f"{value:,.{digits}f}"


def ratio(value, other):
    return "-" if not value or not other else f"{value / other:.2f}"


def share(value, ceiling):
    return "-" if not value or not ceiling else f"{100 * value / ceiling:.1f} %"


def show(heads, rows):
    if not rows:
        return
    print("\n| " + " | ".join(heads) + " |")
    print("|" + "---|" * 2 + "---:|" * (len(heads) - 2))
    for row in rows:
        print("| " + " | ".join(row) + " |")

# The fields that tell one measurement from another.
KEYS = ("part", "job", "contender", "precision", "batch", "seed", "round")


class Table:
    def __init__(self, ledger, job_of):
        self.ledger, self.job_of = ledger, job_of

    def ceiling(self, name):
        return self.ledger.median(name, part="card", contender="ceilings")

    def rivals(self, name, **wanted):
        """The fastest PyTorch program: rate and what its loop is."""
        contenders = {record["contender"] for record in self.ledger.matching(**wanted)} - {"attend"}
        rates = {contender: self.ledger.median(name, contender=contender, **wanted) for contender in contenders}
        best = max((contender for contender in rates if rates[contender]), key=rates.get, default=None)
        return (rates[best], best.split()[-1]) if best else (None, "")

    def card(self):
        cards = sorted({record["card"] for record in self.ledger.records if "card" in record})
        print(f"measured on: {', '.join(cards) or 'no GPU'}" + (" (compare only within one)" if len(cards) > 1 else ""))
        for record in self.ledger.matching(part="card"):
            if "text" in record:
                print(f"{record['contender']}: {record['text']}")
            elif "bytes_per_second" in record:
                rates = ", ".join(f"{name} {record[name + '_flop_per_second'] / 1e12:.1f}" for name in PRECISIONS)
                print(f"ceilings: copy {record['bytes_per_second'] / 1e12:.2f} TB/s; products in TFLOP/s: {rates}")
        for record in self.ledger.matching(part="equality"):
            if "failed" not in record:
                print(f"equality: {record['contender']}: {record['passed']} tests passed, {record['skipped']} skipped")
        for record in self.ledger.matching(part="same"):
            if "failed" not in record:
                print(f"{record['job']}: {record['same']} of {record['lines']} lines translated as on the CPU, in f32")

    def training_row(self, name, precision):
        wanted = {"part": "train", "job": name, "precision": precision}
        target = self.ledger.median("target_rates", contender="attend", **wanted)
        source = self.ledger.median("source_rates", contender="attend", **wanted)
        per_update = self.ledger.median("tokens_per_update", contender="attend", **wanted)
        rival, loop = self.rivals("target_rates", **wanted)
        if not target and not rival:
            return None
        job, work, traffic = self.job_of(name), None, None
        if target:
            work = job.flop(source, target)
            width = 2 if precision == "bf16" else 4
            traffic = job.update_bytes(per_update * source / target, per_update, STEPS[name], width) * target / per_update
        return [name, precision, number(target), number(target and source + target), number(rival), loop, ratio(target, rival),
                share(work, self.ceiling(f"{precision}_flop_per_second")), share(traffic, self.ceiling("bytes_per_second"))]

    def training(self):
        rows = [self.training_row(name, precision) for name in JOBS for precision in PRECISIONS]
        print("\nTraining, tokens/s:")
        show(["job", "precision", "attend, target", "attend, source + target", "PyTorch, target", "its loop", "ratio",
              "of FLOP/s", "of bytes/s"], [row for row in rows if row])

    def translating(self):
        rows = []
        for name in JOBS:
            for batch in sorted({record["batch"] for record in self.ledger.matching(part="translate", job=name)}):
                for precision in PRECISIONS:
                    wanted = {"part": "translate", "job": name, "batch": batch, "precision": precision}
                    own, sentences = (self.ledger.median(key, contender="attend", **wanted)
                                      for key in ("tokens_per_second", "sentences_per_second"))
                    rival, _ = self.rivals("tokens_per_second", **wanted)
                    if own or rival:
                        length, bleu = (self.ledger.median(key, contender="attend", **wanted) for key in ("mean_length", "bleu"))
                        rows.append([f"{name}, batch {batch}", precision, number(own), number(sentences, 1), number(length, 1),
                                     number(bleu, 1), number(rival), ratio(own, rival)])
        print("\nTranslating, beam 5:")
        show(["job", "precision", "attend, target tokens/s", "attend, sentences/s", "tokens a sentence", "BLEU",
              "PyTorch, target tokens/s", "ratio"], rows)

    def recipe(self):
        rows = [[f"seed {record['seed']}", record["precision"], number(record["seconds"], 1), number(record["bleu"], 2)]
                for record in self.ledger.matching(part="recipe") if record.get("bleu") is not None]
        print("\nMulti30k's recipe, trained whole:" if rows else "")
        show(["run", "precision", "seconds", "test BLEU"], rows)

    def failures(self):
        """The measurements whose last attempt failed."""
        reasons = {}
        for record in self.ledger.records:
            name = " ".join(str(record[key]) for key in KEYS if key in record)
            reasons[name] = record.get("failed")
        for name, reason in reasons.items():
            if reason is not None:
                print(f"\nFailed: {name}: {reason}")


def print_table(ledger, job_of):
    table = Table(ledger, job_of)
    table.card()
    table.training()
    table.translating()
    table.recipe()
    table.failures()
