#!/usr/bin/env python3
"""Which model types of transformers estimates must not describe, and what the others count.

model_types.py classes OUT.jsonl        one line per model type: its kind, the default configuration of its class, and the parameters of the
                                        class that trains it, built on the meta device; needs transformers and torch
model_types.py tables VRAMLINT OUT.jsonl  writes the list of types without a description (`arch/families/undescribed/types.rs` in
                                        vramlint_memory) and the cases of `crates/vramlint_estimate/tests/model_types.jsonl`

A type is described if it is a decoder of text, alone or behind a tower, and the estimate counts at most 5 % more or fewer parameters than its
class has. Everything else belongs into the list. A listed type stays listed: take out what a new reader describes.
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TYPES = ROOT / "crates/vramlint_memory/src/arch/families/undescribed/types.rs"
CASES = ROOT / "crates/vramlint_estimate/tests/model_types.jsonl"
# Classes that cannot be built from their defaults, or whose defaults no model has; real sizes of them are in the catalogue or in `counts.rs`.
OTHERWISE = {"dots1", "hunyuan_v1_moe", "llama4", "mllama", "qwen3_5", "qwen3_5_moe"}
# Text parts of models that see: their class lacks the head, which the estimate counts.
HEADLESS = {"cosmos3_edge_text", "glm4v_text", "molmo2_text", "qwen3_vl_text"}
CLASSES = ["CAUSAL_LM", "IMAGE_TEXT_TO_TEXT", "SEQ_TO_SEQ_CAUSAL_LM", "MASKED_LM", "SPEECH_SEQ_2_SEQ", "CTC", "IMAGE_CLASSIFICATION", None]
AUDIO = {"CTC", "SPEECH_SEQ_2_SEQ", "AUDIO_CLASSIFICATION", "AUDIO_FRAME_CLASSIFICATION", "AUDIO_XVECTOR", "TEXT_TO_WAVEFORM", "TEXT_TO_SPECTROGRAM", "RNNT", "TDT"}
VISION = {"IMAGE", "BACKBONE", "KEYPOINT_MATCHING", "MASK_GENERATION", "TEXT_RECOGNITION", "TABLE_RECOGNITION"}
SEES = re.compile(r"IMAGE_(?!TEXT)|IMAGE$|SEGMENTATION|OBJECT_DETECTION|DEPTH|VIDEO|KEYPOINT|POINTMAP|MATTING|NORMAL|POSE")
BOTH = {"IMAGE_TEXT_TO_TEXT", "MULTIMODAL_LM", "ZERO_SHOT_IMAGE_CLASSIFICATION", "VISUAL_QUESTION_ANSWERING", "RETRIEVAL"}
NAMES = [
    ("STATE_SPACE", "State-space and hybrid models.", r"mamba|rwkv|xlstm|recurrent|^bamba|falcon_h1|granitemoehybrid|^jamba|^lfm[23](_vl|_moe)?$|nemotron_h|nemo_speechlm|^zamba"),
    ("TIME_SERIES", "Models of time series.", r"^autoformer|^informer|time_series|^timesfm|^patchtst|^patchtsmixer"),
    ("AUDIO", "Audio models, and the parts of others that hear and speak.", r"audio|speech|asr|_tts|codec|mimi|^dac$|vits|hifigan|bigvgan|moshi|clvp|clap|univnet|voxtral|bark|token2wav|talker|musicflamingo|diarization|transcribe|csm|_dit$"),
    ("VISION", "Vision models, and the parts of others that see.", r"vision|vit|image|sam|detr|dino|swin|convnext|resnet|timm|depth|vqgan|vqmodel|backbone|lcnet|perceiver|pp_ocr|pp_doclayout|_adapter|table-transformer|omdet|d_fine|deimv2|chmv2|uvdoc|slane|edgetam|pe_video|pixtral|seggpt|florence2"),
]


def parameters(model):
    return sum(p.numel() for p in {id(p): p for p in model.parameters()}.values())


def plain(value):
    """A value that JSON has."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def classes(path):
    os.environ["TRANSFORMERS_VERBOSITY"] = "error"
    import torch
    from transformers.models.auto import modeling_auto as auto
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

    tables = {name: set(table) for name, table in vars(auto).items() if name.endswith("_MAPPING_NAMES") and hasattr(table, "keys")}
    short = lambda name: name.removeprefix("MODEL_FOR_").removesuffix("_MAPPING_NAMES")
    with open(path, "w") as out:
        for name in sorted(CONFIG_MAPPING_NAMES):
            record = {"model_type": name, "tasks": sorted(short(task) for task, types in tables.items() if name in types)}
            try:
                config = CONFIG_MAPPING[name]()
                record["config"] = {**config.to_dict(), "model_type": getattr(config, "model_type", name)}
                for task in CLASSES:
                    try:
                        found = getattr(auto, f"MODEL_FOR_{task}_MAPPING" if task else "MODEL_MAPPING")[type(config)]
                    except KeyError:
                        continue
                    with torch.device("meta"):
                        model = (found[0] if isinstance(found, tuple) else found)(config)
                    record |= {"class": task or "MODEL", "parameters": parameters(model)}
                    break
            except Exception as why:  # A class that cannot be built is no case; the list still names its type.
                record["error"] = f"{type(why).__name__}: {why}"[:200]
            out.write(json.dumps(plain(record), default=str) + "\n")


def counted(binary, record):
    """The parameters that the estimate counts; None without a figure."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "config.json"
        path.write_text(json.dumps(record["config"]))
        command = [binary, "estimate", "--model", str(path), "--micro-batch", "1", "--seq", "1", "--method", "freeze", "--output-format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    return json.loads(done.stdout)["setup"]["parameters"] if done.stdout.startswith("{") else None


def kind(record):
    """The list that a type without a description belongs to."""
    name, tasks = record["model_type"], set(record["tasks"])
    if re.search(r"_text$", name) and not re.search("clip|siglip|speech|voxtral|talker|sam3", name):
        return "OWN"
    for table, _, pattern in NAMES[:2]:
        if re.search(pattern, name):
            return table
    if tasks & BOTH and not re.search(NAMES[3][2], name):
        return "AUDIO" if tasks & AUDIO else "MULTIMODAL"
    if tasks & AUDIO or re.search(NAMES[2][2], name):
        return "AUDIO"
    if re.search(NAMES[3][2], name):
        return "VISION"
    if "SEQ_TO_SEQ_CAUSAL_LM" in tasks or (record.get("config") or {}).get("is_encoder_decoder") or re.search("_decoder$|^dia_|t5", name):
        return "ENCODER_DECODER"
    if tasks & VISION or any(SEES.search(task) for task in tasks):
        return "VISION"
    if "CAUSAL_LM" in tasks and "MASKED_LM" not in tasks:
        return "OWN"
    return "ENCODER" if tasks - {"CONFIG", "MODEL"} or re.search("text_model|former|encoder|bert", name) else "OWN"


def readers():
    """The model types that a family reads."""
    found = set()
    for path in TYPES.parents[1].glob("*.rs"):
        for listed in re.findall(r"Family::(?:un)?traced\(\s*&\[([^\]]*)\]", path.read_text()):
            found |= set(re.findall(r'"([^"]+)"', listed))
    return found


def tables(binary, path):
    records = {record["model_type"]: record for record in map(json.loads, open(path))}
    read, described, inside = readers(), set(), set()
    for name, record in records.items():
        if record.get("class") in ("CAUSAL_LM", "IMAGE_TEXT_TO_TEXT") and "parameters" in record:
            count = counted(binary, record)
            if count is not None and abs(count - record["parameters"]) <= record["parameters"] * 0.05:
                described.add(name)
    for name in described | OTHERWISE:
        for part in ("text_config", "llm_config", "language_config"):
            inner = (records[name].get("config") or {}).get(part)
            inside |= {inner["model_type"]} if isinstance(inner, dict) and inner.get("model_type") else set()
    listed = {}
    for name, record in records.items():
        if name not in read | described | inside | OTHERWISE | HEADLESS:
            listed.setdefault(kind(record), []).append(name)
    docs = [(table, doc) for table, doc, _ in NAMES] + [
        ("ENCODER_DECODER", "Encoder-decoder models."),
        ("MULTIMODAL", "Multimodal models."),
        ("ENCODER", "Encoders."),
        ("OWN", "Models with layers of their own."),
    ]
    lines = [line.rstrip() for line in TYPES.read_text().split("///")[0].splitlines() if line.startswith("//!")]
    for table, doc in docs:
        lines += ["", f"/// {doc}", "#[rustfmt::skip]", f"pub(super) const {table}: &[&str] = &["]
        row = "   "
        for name in sorted(listed.get(table, [])):
            word = f' "{name}",'
            if len(row) + len(word) > 130:
                lines.append(row)
                row = "   "
            row += word
        lines += [row, "];"]
    TYPES.write_text("\n".join(lines) + "\n")
    useless = {"id2label", "label2id", "architectures", "transformers_version", "task_specific_params", "generation_config"}

    def short(config):
        """What an architecture is read from."""
        kept = {}
        for key, value in config.items():
            if isinstance(value, dict):
                value = short(value) if key.endswith("_config") or key.startswith("rope") else None
            elif isinstance(value, list) and len(value) > 80:
                value = None
            if value is not None and value != {} and key not in useless and not key.endswith("token_id") and not key.startswith("_"):
                kept[key] = value
        return kept

    with open(CASES, "w") as out:
        for name in sorted(described - inside):
            record = records[name]
            case = {"model_type": name, "parameters": record["parameters"], "config": short(record["config"])}
            out.write(json.dumps(case, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    {"classes": classes, "tables": tables}[sys.argv[1]](*sys.argv[2:])
