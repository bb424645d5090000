try:
    from trl import PPOConfig
except ImportError:
    PPOConfig = None
if False:
    from trl import PPOTrainer

print(PPOConfig)
