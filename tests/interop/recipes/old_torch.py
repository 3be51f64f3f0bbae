"""To be imported first: names of torch that newer packages ask for, and Debian's 1.13
calls otherwise or has not."""

import torch

if not hasattr(torch._C, "DisableTorchFunctionSubclass"):  # torchvision 0.15
    torch._C.DisableTorchFunctionSubclass = torch._C.DisableTorchFunction
if not hasattr(torch.cpu, "device_count"):  # accelerate
    torch.cpu.device_count = lambda: 1
    torch.cpu.set_device = lambda device: None
