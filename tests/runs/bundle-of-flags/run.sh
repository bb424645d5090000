torchrun $DISTRIBUTED_ARGS train.py
