//! The shape of an MLP or of experts.

/// The MLP of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mlp {
    /// `down(act(gate(x)) * up(x))`.
    Gated {
        /// Width.
        inner: u64,
        /// Gate and up in one matrix (Phi-3, GLM).
        fused: bool,
        /// Biases.
        bias: bool,
        /// The activation.
        activation: Activation,
    },
    /// `down(act(up(x)))`.
    Plain {
        /// Width.
        inner: u64,
        /// Biases.
        bias: bool,
        /// The activation.
        activation: Activation,
    },
    /// Experts.
    Experts(Experts),
}

/// A mixture of experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Experts {
    /// All of them.
    pub(crate) count: u64,
    /// Those that see a token.
    pub(crate) active: u64,
    /// Width of one.
    pub(crate) inner: u64,
    /// The expert that sees every token.
    pub(crate) shared: Option<SharedExpert>,
    /// Biases (gpt-oss).
    pub(crate) bias: bool,
    /// How experts are chosen.
    pub(crate) router: Router,
    /// Gate and up are clamped before they meet (gpt-oss).
    pub(crate) clamped: bool,
    /// Names under which PEFT still knows the experts as layers.
    pub(crate) legacy_names: Option<LegacyExpertNames>,
}

/// The names of experts when they were layers (peft 0.21, `utils/transformers_weight_conversion.py`): PEFT matches these names,
/// and `all-linear`, with the experts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegacyExpertNames {
    /// `w1`, `w2`, `w3`.
    Mixtral,
    /// `gate_proj`, `up_proj`, `down_proj`: what is built like Qwen2-MoE, but not Qwen2-MoE itself.
    Qwen,
}

/// The expert that sees every token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SharedExpert {
    /// Its width.
    pub(crate) inner: u64,
    /// It has a gate of its own (Qwen2-MoE).
    pub(crate) gate: bool,
    /// It runs before the others.
    pub(crate) runs_first: bool,
}

/// How experts are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Router {
    /// A softmax over all in fp32, then the highest.
    Softmax {
        /// Their weights are divided by their sum.
        normalized: bool,
        /// Their weights are cast back.
        cast: bool,
    },
    /// The highest, then a softmax over them (Granite: `wide`, in fp32; gpt-oss).
    TopSoftmax {
        /// In fp32.
        fp32: bool,
    },
    /// Scores in fp32 from inputs and weights in fp32 (DeepSeek, GLM).
    Fp32 {
        /// Each score by itself rather than a softmax.
        sigmoid: bool,
        /// The weights are divided by their sum.
        normalized: bool,
        /// Groups of experts are chosen first.
        grouped: bool,
    },
    /// Each score by itself, in the type of the hidden states (LFM2).
    Sigmoid {
        /// The weights are divided by their sum.
        normalized: bool,
        /// The choice is corrected in fp32.
        corrected: bool,
    },
    /// A softmax in fp32, corrected for the choice only (ERNIE 4.5).
    BiasCorrected,
    /// Two experts one after the other (Phi-3.5-MoE).
    SparseMixer,
    /// Every expert runs over every token (Llama 4).
    AllExperts,
}

/// An activation function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    /// One kernel that keeps its input: silu, gelu, gelu_pytorch_tanh.
    Kernel,
    /// One kernel that keeps its result: relu.
    Relu,
    /// `gelu_new`, `gelu_fast`: written out in Python.
    GeluNew,
    /// BLOOM's own gelu: keeps its input, two temporaries.
    BloomGelu,
    /// ESM's gelu, written out in Python with `erf`.
    EsmGelu,
    /// `relu(x) ** 2`.
    ReluSquared,
    /// `quick_gelu`: `x * sigmoid(1.702 x)`.
    QuickGelu,
    /// All but the highest become zero before a kernel that keeps its input (Gemma 3n).
    GaussianTopK,
    /// xIELU with two trained scalars (Apertus).
    Xielu,
}
