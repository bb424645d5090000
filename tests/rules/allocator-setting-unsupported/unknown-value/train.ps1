param($Conf)
$env:PYTORCH_CUDA_ALLOC_CONF = $Conf
python train.py
