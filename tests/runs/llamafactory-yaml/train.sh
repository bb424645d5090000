llamafactory-cli train examples/qwen_lora_sft.yaml
