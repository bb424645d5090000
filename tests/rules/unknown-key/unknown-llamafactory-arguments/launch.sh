#!/usr/bin/env bash
ALLOW_EXTRA_ARGS=1 llamafactory-cli train config.yaml
