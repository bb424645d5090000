from trl import KTOConfig

args = KTOConfig("out", max_prompt_length=512, max_completion_length=512)
