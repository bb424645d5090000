#!/usr/bin/env bash
set -euo pipefail
accelerate launch --config_file accelerate.yaml train.py --config train.yaml
