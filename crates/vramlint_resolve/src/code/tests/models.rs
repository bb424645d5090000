//! What happens to models.

use super::*;

fn trained(text: &str) -> Vec<Option<bool>> {
    facts_of(&[("a.py", text)], "a.py").models.iter().map(|model| model.trained).collect()
}

const LOAD: &str = r"import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
model = AutoModelForCausalLM.from_pretrained('m', device_map='auto')
";

#[test]
fn inference_is_no_training() {
    for rest in [
        "print(model.generate(x))\n",
        "model.eval()\nwith torch.no_grad():\n    y = model(x)\n",
        "t = Trainer(model=model, args=TrainingArguments('o'))\nt.evaluate()\n",
        "from accelerate import Accelerator\nmodel = Accelerator().prepare(model)\nmodel.generate(x)\n",
    ] {
        assert_eq!(trained(&format!("{LOAD}{rest}")), [Some(false)], "{rest}");
    }
    assert_eq!(trained(LOAD), [None]);
    assert_eq!(trained(&format!("{LOAD}somewhere(model)\n")), [None]);
}

#[test]
fn training_by_every_way() {
    for rest in [
        "opt = torch.optim.AdamW(model.parameters(), lr=1e-4)\n",
        "opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-4)\n",
        "loss = model(**b).loss / 4\nloss.backward()\n",
        "Trainer(model=model, args=TrainingArguments('o')).train()\n",
        "from peft import LoraConfig, get_peft_model\nmodel = get_peft_model(model, LoraConfig())\n",
        "class W(torch.nn.Module):\n    def __init__(self, inner):\n        self.inner = inner\nw = W(model)\nopt = torch.optim.SGD(w.parameters(), lr=1)\n",
    ] {
        assert_eq!(trained(&format!("{LOAD}{rest}")), [Some(true)], "{rest}");
    }
}

#[test]
fn a_reference_model_is_not_the_trained_one() {
    let text = format!(
        "{LOAD}ref_model = AutoModelForCausalLM.from_pretrained('r')\nref_model.eval()\nfrom trl import DPOConfig, DPOTrainer\nDPOTrainer(model, ref_model=ref_model, args=DPOConfig('o')).train()\n"
    );
    let shown = show(&[("a.py", &text)], "a.py");
    only(
        &shown,
        "model",
        &[
            "model 'm' from_pretrained(pretrained_model_name_or_path) a.py:3 call",
            "model transformers.AutoModelForCausalLM.from_pretrained Some(Text(\"m\")) trained=Some(true) conditional=false via=0 [device_map 'auto' from_pretrained(device_map) a.py:3 call]",
            "model transformers.AutoModelForCausalLM.from_pretrained Some(Text(\"r\")) trained=Some(false) conditional=false via=0 []",
        ],
    );
    has(&shown, "reference_model 'r' from_pretrained(pretrained_model_name_or_path) a.py:4 call");
}

#[test]
fn tokenizers_and_configs_are_no_models() {
    let text = source(
        r"
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer
AutoTokenizer.from_pretrained('m')
c = AutoConfig.from_pretrained('m')
AutoModelForCausalLM.from_config(c)
",
    );
    assert!(trained(text).is_empty());
}

#[test]
fn quantization_keeps_its_condition() {
    let text = source(
        r"
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
bnb = None
if small():
    bnb = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4', bnb_4bit_use_double_quant=True)
model = AutoModelForCausalLM.from_pretrained('m', quantization_config=bnb)
",
    );
    let shown = show(&[("a.py", text)], "a.py");
    only(&shown, "quantization", &["quantization 'nf4-double' BitsAndBytesConfig(load_in_4bit) a.py:4 call if[small()]"]);
}
