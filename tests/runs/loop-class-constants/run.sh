nohup python -u train.py > log.txt 2>&1 &
