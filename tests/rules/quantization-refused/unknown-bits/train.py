import sys
from transformers import BitsAndBytesConfig
four = "--four" in sys.argv
a = BitsAndBytesConfig(load_in_4bit=four, load_in_8bit=not four)
