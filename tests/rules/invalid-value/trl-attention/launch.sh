trl sft --config config.yaml
