from trl import GRPOConfig, GRPOTrainer


def brief(completions, **kwargs):
    return [-float(len(text)) for text in completions]


def polite(completions, **kwargs):
    return [float("please" in text) for text in completions]


args = GRPOConfig(output_dir="out", reward_weights=[1.0], model_init_kwargs={"dtype": "auto"})
trainer = GRPOTrainer("org/model", reward_funcs=[brief] + [polite], args=args)
