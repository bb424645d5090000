litgpt finetune lora --checkpoint_dir checkpoints/google/gemma-2b --quantize bnb.nf4-dq --precision bf16-true
