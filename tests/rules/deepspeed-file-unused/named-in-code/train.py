CONFIG = "ds_config.json"
print(CONFIG)
