trl reward --config reward.yaml
