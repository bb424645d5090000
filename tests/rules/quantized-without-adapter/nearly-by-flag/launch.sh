#!/usr/bin/env bash
llamafactory-cli train config.yaml finetuning_type=lora
