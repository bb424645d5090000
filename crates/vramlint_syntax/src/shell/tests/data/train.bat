@echo off
rem 训练
:: other
set N=4
set "M=a b"
if "%1"=="" (set LR=1e-4) else (set LR=%1)
if not exist out mkdir out
call conda activate x && python train.py ^
  --n %N% --m "%M%" ^
  --lr %LR% > log.txt 2>&1
for %%i in (1 2) do python t.py --s %%i
