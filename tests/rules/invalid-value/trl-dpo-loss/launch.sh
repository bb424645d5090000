trl dpo --config config.yaml
