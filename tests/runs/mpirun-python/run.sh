mpirun -np 4 python train.py
