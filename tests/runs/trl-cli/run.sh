trl sft --config sft.yaml --num_processes 4
