# ÑµÁ·
print(1)
