//! Files that code loads.

use super::*;

#[test]
fn yaml_through_a_helper_and_an_option() {
    let text = source(
        r"
import argparse, yaml
from accelerate import Accelerator
from torch.utils.data import DataLoader

def load(path):
    with open(path, encoding='utf-8') as f:
        return yaml.safe_load(f)

p = argparse.ArgumentParser()
p.add_argument('--config', default='c.yaml')
p.add_argument('--batch_size', type=int)
args = p.parse_args()
cfg = load(args.config)
if args.batch_size is not None:
    cfg['training']['batch_size'] = args.batch_size
Accelerator(gradient_accumulation_steps=cfg['training'].get('ga', 4))
DataLoader(d, batch_size=cfg['training']['batch_size'])
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "load Some(\"c.yaml\") option=Some(\"config\") Some(PyYaml) Data argument=None");
    only(
        &shown,
        "micro_batch",
        &[
            "micro_batch ? training.batch_size a.py:17 call key=0:training.batch_size",
            "micro_batch ? batch_size a.py:11 call option=batch_size if[args.batch_size is not None]",
        ],
    );
    only(
        &shown,
        "gradient_accumulation_steps",
        &[
            "gradient_accumulation_steps ? training.ga a.py:16 call key=0:training.ga",
            "gradient_accumulation_steps 4 ga a.py:16 call fallback key=0:training.ga",
        ],
    );
}

#[test]
fn an_option_before_the_file() {
    let text = source(
        r"
import argparse, json
from torch.utils.data import DataLoader
p = argparse.ArgumentParser()
p.add_argument('--bs', type=int)
a = p.parse_args()
cfg = json.load(open('c.json'))
DataLoader(d, batch_size=a.bs or cfg['bs'])
DataLoader(d, batch_size=a.bs if a.bs is not None else cfg['rows'])
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "load Some(\"c.json\") option=None Some(Json) Data argument=None");
    has(&shown, "micro_batch ? bs a.py:4 call option=bs");
    has(&shown, "micro_batch ? bs a.py:7 call fallback key=0:bs");
    has(&shown, "micro_batch ? rows a.py:8 call fallback key=0:rows");
}

#[test]
fn paths_beside_the_script() {
    let text = source(
        r"
import os, yaml
from pathlib import Path
one = yaml.load(Path(__file__).parent.joinpath('a.yaml').read_text(), Loader=yaml.SafeLoader)
two = yaml.safe_load(open(os.path.join(os.path.dirname(__file__), 'b.yaml')))
three = yaml.safe_load((Path('conf') / 'c.yaml').open())
four = yaml.safe_load(Path(__file__).with_name('d.yaml').read_text())
",
    );
    let shown = show(&[("src/a.py", text)], "src/a.py");
    for path in ["src/a.yaml", "src/b.yaml", "conf/c.yaml", "src/d.yaml"] {
        has(&shown, &format!("load Some(\"{path}\") option=None Some(PyYaml) Data argument=None"));
    }
}

#[test]
fn hydra_and_omegaconf() {
    let text = source(
        r"
import hydra
from omegaconf import OmegaConf
from torch.utils.data import DataLoader

@hydra.main(config_path='../conf', config_name='base', version_base=None)
def main(cfg):
    DataLoader(d, batch_size=cfg.training.rows)

other = OmegaConf.load('x.yaml')
main()
",
    );
    let shown = show(&[("src/a.py", text)], "src/a.py");
    has(&shown, "load Some(\"conf/base.yaml\") option=None Some(OmegaConf) Data argument=None");
    has(&shown, "load Some(\"x.yaml\") option=None Some(OmegaConf) Data argument=None");
    has(&shown, "micro_batch ? training.rows src/a.py:7 call key=0:training.rows");
}

#[test]
fn libraries_that_load_for_the_code() {
    let text = source(
        r"
import sys
from transformers import HfArgumentParser, TrainingArguments
from trl import SFTConfig, TrlParser
(a,) = HfArgumentParser(TrainingArguments).parse_yaml_file('t.yaml')
(b,) = HfArgumentParser(TrainingArguments).parse_json_file(json_file=sys.argv[1])
c = TrlParser((SFTConfig,)).parse_args_and_config()
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    has(&shown, "load Some(\"t.yaml\") option=None Some(PyYaml) Arguments argument=None");
    has(&shown, "load None option=None Some(Json) Arguments argument=Some(1)");
    has(&shown, "load None option=Some(\"config\") Some(TrlParser) Arguments argument=None");
    let dialects: Vec<Dialect> = facts_of(&[("a.py", text)], "a.py").argument_classes.iter().map(|class| class.dialect).collect();
    assert_eq!(dialects, [Dialect::HfTrainer, Dialect::HfTrainer, Dialect::Trl]);
}

#[test]
fn a_block_of_a_file_as_fields() {
    let text = source(
        r"
import yaml
from dataclasses import dataclass
from torch.utils.data import DataLoader

@dataclass
class Plan:
    rows: int = 6

plan = Plan(**yaml.safe_load(open('p.yaml'))['plan'])
DataLoader(d, batch_size=plan.rows)
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    only(
        &shown,
        "micro_batch",
        &["micro_batch ? plan.rows a.py:10 call key=0:plan.rows", "micro_batch 6 Plan.rows a.py:7 call fallback key=0:plan.rows"],
    );
}

#[test]
fn files_that_are_written_are_not_loaded() {
    let shown = show(
        &[(
            "a.py",
            source(
                r"
import json
with open('out.json', 'w') as f:
    json.dump({}, f)
",
            ),
        )],
        "a.py",
    );
    lacks(&shown, "load ");
}
