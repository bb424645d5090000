trl sft --config sft.yaml --accelerate_config zero3
