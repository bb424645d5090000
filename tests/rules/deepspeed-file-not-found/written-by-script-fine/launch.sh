cat > made.json <<EOF
{"zero_optimization": {"stage": 2}}
EOF
accelerate launch --config_file accelerate_config.yaml train.py
