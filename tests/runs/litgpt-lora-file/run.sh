litgpt finetune_lora checkpoints/google/gemma-2b --config lora.yaml --devices 2
