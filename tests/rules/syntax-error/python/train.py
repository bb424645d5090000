import torch


def train(:
    pass
