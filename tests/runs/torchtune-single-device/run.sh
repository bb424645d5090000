tune run lora_finetune_single_device --config 8B_lora.yaml
