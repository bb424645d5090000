# 训练
param([int]$Gpus = 8, [string]$Model = "x/y", [switch]$Debug)
$env:CUDA_VISIBLE_DEVICES = "0,1"
$common = @(
  "--lr", "1e-4",  # rate
  '--out', "out/$Model"
)
$common += "--bf16"
foreach ($s in 1, 2) { python train.py --seed $s }
function Start-Eval($name) { & python eval.py --name $name }
if ($Debug) { $bs = 1 } else { $bs = 4 }
& accelerate launch `
  --num_processes $GPUS `
  train.py @common --bs $bs 2>&1 | Tee-Object -FilePath log.txt
$text = @"
python not.py
"@
python z.py --x (Get-Date) --% --raw $x
