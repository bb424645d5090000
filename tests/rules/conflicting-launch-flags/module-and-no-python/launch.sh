accelerate launch --module --no_python package.train
