envsubst < accelerate_config.yaml > /tmp/run.yaml
accelerate launch --config_file /tmp/run.yaml train.py
