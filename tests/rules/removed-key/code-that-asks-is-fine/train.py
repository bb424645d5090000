import inspect
import transformers
from transformers import TrainingArguments, Trainer, AutoModelForCausalLM
import argparse
p = argparse.ArgumentParser(); p.add_argument("--eval", action="store_true"); p.add_argument("--old", action="store_true")
args = p.parse_args()

kw = {"eval_strategy": "steps"} if "eval_strategy" in inspect.signature(TrainingArguments.__init__).parameters else {"evaluation_strategy": "steps"}
t1 = TrainingArguments(output_dir="x", **kw)

kwargs = dict(output_dir="x")
if args.old:
    kwargs["evaluation_strategy"] = "steps"
else:
    kwargs["eval_strategy"] = "steps"
t2 = TrainingArguments(**kwargs)

params = inspect.signature(TrainingArguments.__init__).parameters
k3 = {"output_dir": "x", "evaluation_strategy": "no", "eval_strategy": "no", "warmup_ratio": 0.1}
k3 = {k: v for k, v in k3.items() if k in params}
t3 = TrainingArguments(**k3)

k4 = {"output_dir": "x"}
key = "eval_strategy" if "eval_strategy" in params else "evaluation_strategy"
k4[key] = "steps"
t4 = TrainingArguments(**k4)

if hasattr(TrainingArguments, "evaluation_strategy"):
    t5 = TrainingArguments(output_dir="x", evaluation_strategy="steps")
else:
    t5 = TrainingArguments(output_dir="x", eval_strategy="steps")

try:
    t6 = TrainingArguments(output_dir="x", eval_strategy="steps")
except TypeError:
    t6 = TrainingArguments(output_dir="x", evaluation_strategy="steps")

if "evaluation_strategy" in params:
    t7 = TrainingArguments(output_dir="x", evaluation_strategy="steps")

def filtered(cls, kw):
    sig = inspect.signature(cls)
    return {k: v for k, v in kw.items() if k in sig.parameters}

t8 = TrainingArguments(**filtered(TrainingArguments, dict(output_dir="x", evaluation_strategy="steps")))

k9 = dict(output_dir="x", evaluation_strategy="steps")
for k in list(k9):
    if k not in params:
        k9.pop(k)
t9 = TrainingArguments(**k9)

k10 = dict(output_dir="x", evaluation_strategy="steps")
if "evaluation_strategy" not in params:
    k10["eval_strategy"] = k10.pop("evaluation_strategy")
t10 = TrainingArguments(**k10)

model = AutoModelForCausalLM.from_pretrained("gpt2")
tk = dict(model=model, args=t10)
if "processing_class" in inspect.signature(Trainer.__init__).parameters:
    tk["processing_class"] = None
else:
    tk["tokenizer"] = None
trainer = Trainer(**tk)
old = transformers.__version__.startswith("4.")
tk2 = {"tokenizer": None} if old else {"processing_class": None}
trainer = Trainer(model=model, args=t10, **tk2)

sig = set(inspect.signature(TrainingArguments).parameters)
if "warmup_ratio" in sig:
    k10["warmup_ratio"] = 0.1
t11 = TrainingArguments(**k10)

t12 = TrainingArguments(output_dir="x", **({"evaluation_strategy": "no"} if old else {"eval_strategy": "no"}))

def make(**kw):
    try:
        return TrainingArguments(eval_strategy="no", **kw)
    except TypeError as e:
        return TrainingArguments(evaluation_strategy="no", **kw)
t13 = make(output_dir="x")
if transformers.__version__ < "4.41":
    t14 = TrainingArguments(output_dir="x", evaluation_strategy="no")
else:
    t14 = TrainingArguments(output_dir="x", eval_strategy="no")
IS_OLD = tuple(int(v) for v in transformers.__version__.split(".")[:2]) < (4, 41)
if IS_OLD:
    t15 = TrainingArguments(output_dir="x", evaluation_strategy="no")
name = "evaluation_strategy" if IS_OLD else "eval_strategy"
t16 = TrainingArguments(output_dir="x", **{name: "no"})
