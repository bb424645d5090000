#!/usr/bin/env bash
set -euo pipefail
accelerate launch --config_file accelerate_config.yaml train.py --config reward_model.yaml
