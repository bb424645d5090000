//! The cards of this machine, through NVML.
