litgpt finetune_full google/gemma-2b --train.micro_batch_size 4 --train.global_batch_size 32 --data JSON --data.json_path data.json
