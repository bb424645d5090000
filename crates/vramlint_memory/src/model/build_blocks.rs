//! Loading of blocks: attention, MLP, norms, and the blocks of a decoder that sees an encoder.

use super::alternating::AlternatingBlock;
use super::build::ModuleBuilder;
use super::modules::{
    AttentionModule, BesideModule, ConvolutionModule, CrossAttentionBlock, DecoderModule, LatentProjections, LayerModule,
    LentProjections, MlpModule, PlacesModule, Projections, SegmentProjections,
};
use super::per_layer::PerLayerBlock;
use crate::arch::{
    Activation, Attention, Decoder, KeyStates, Layer, Mlp, ModuleNames, Norm, Order, PositionStacks, Positions, Projection,
    Stacks,
};
use crate::tape::ParamId;

impl ModuleBuilder<'_> {
    fn attention(&self, a: &Attention, names: &ModuleNames) -> AttentionModule {
        let (q, k, v) = (a.heads * a.head_dim, a.kv_heads * a.head_dim, a.kv_heads * a.value_dim);
        let h = self.hidden;
        let projections = match a.projection {
            Projection::Separate => Projections::Separate {
                q: self.linear(h, q, a.qkv_bias, names.qkv[0]),
                k: self.linear(h, k, a.qkv_bias, names.qkv[1]),
                v: self.linear(h, v, a.qkv_bias, names.qkv[2]),
            },
            Projection::Latent { query_rank, kv_rank, rope_dim } => Projections::Latent(LatentProjections {
                q: query_rank.map_or_else(
                    || vec![self.linear(h, q, false, "self_attn.q_proj")],
                    |rank| {
                        vec![
                            self.linear(h, rank, a.qkv_bias, "self_attn.q_a_proj"),
                            self.linear(rank, q, false, "self_attn.q_b_proj"),
                        ]
                    },
                ),
                q_norm: query_rank.map(|rank| self.norm(Norm::Rms, rank)),
                kv_down: self.linear(h, kv_rank + rope_dim, a.qkv_bias, "self_attn.kv_a_proj_with_mqa"),
                kv_norm: self.norm(Norm::Rms, kv_rank),
                kv_up: self.linear(
                    kv_rank,
                    a.heads * (a.head_dim.saturating_sub(rope_dim) + a.value_dim),
                    false,
                    "self_attn.kv_b_proj",
                ),
            }),
            Projection::Lent { keys, values_are_keys } => Projections::Lent(LentProjections {
                q: self.linear(h, q, a.qkv_bias, names.qkv[0]),
                keys: (keys != KeyStates::Borrowed).then(|| {
                    let keys = self.linear(h, k, a.qkv_bias, names.qkv[1]);
                    (keys, (!values_are_keys).then(|| self.linear(h, v, a.qkv_bias, names.qkv[2])))
                }),
            }),
            Projection::Convolution { taps, bias } => Projections::Convolution(ConvolutionModule {
                filter: self.param([h, taps]),
                bias: bias.then(|| self.param([1, h])),
                input: self.linear(h, 3 * h, bias, names.fused),
                taps,
            }),
            Projection::Segments => Projections::Segments(SegmentProjections {
                matrices: [0; 4].map(|_| self.param([h, h])),
                biases: [0; 3].map(|_| self.param([1, h])),
                segments: self.param([2, h]),
            }),
            _ => Projections::Fused(self.linear(h, q + k + v, a.qkv_bias, names.fused)),
        };
        let (columns, out_bias) = match a.projection {
            Projection::Convolution { bias, .. } => (h, bias),
            _ => (a.heads * a.value_dim, a.out_bias),
        };
        let out = self.linear(columns, h, out_bias, names.out);
        let sinks = a.sinks.then(|| self.param([1, a.heads]));
        let columns = |heads: u64, per_head: bool| if per_head { a.head_dim } else { heads * a.head_dim };
        AttentionModule {
            projections,
            out,
            q_norm: a.qk_norm.map(|n| self.norm(n.norm, columns(a.heads, n.per_head))),
            k_norm: a.qk_norm.filter(|_| !a.borrows_keys()).map(|n| self.norm(n.norm, columns(a.kv_heads, n.per_head))),
            sinks,
            biases: a.relative.filter(|relative| relative.fused).map(|_| [self.param([1, q]), self.param([1, v])]),
            distances: a.relative.filter(|relative| !relative.shared).map_or([None, None], |relative| {
                if relative.fused {
                    return [
                        relative.to_positions.then(|| self.linear(h, q, false, "attention.self.pos_proj")),
                        relative.from_positions.then(|| self.linear(h, q, true, "attention.self.pos_q_proj")),
                    ];
                }
                [
                    relative.to_positions.then(|| self.linear(h, q, true, "attention.self.pos_key_proj")),
                    relative.from_positions.then(|| self.linear(h, q, true, "attention.self.pos_query_proj")),
                ]
            }),
        }
    }

    fn mlp(&self, mlp: &Mlp, names: &ModuleNames) -> MlpModule {
        let h = self.hidden;
        match *mlp {
            Mlp::Gated { inner, fused, bias, .. } => MlpModule::Gated {
                gate: self.linear(h, if fused { 2 * inner } else { inner }, bias, names.gate),
                up: (!fused).then(|| self.linear(h, inner, bias, names.up)),
                down: self.linear(inner, h, bias, names.down),
            },
            Mlp::Plain { inner, bias, activation } => MlpModule::Plain {
                up: self.linear(h, inner, bias, names.up),
                down: self.linear(inner, h, bias, names.down),
                own: (activation == Activation::Xielu).then(|| [self.param([1, 1]), self.param([1, 1])]),
            },
            Mlp::Experts(experts) => MlpModule::Experts(self.experts(&experts)),
        }
    }

    pub(super) fn layer(&self, shape: &Layer, number: u32) -> LayerModule {
        self.layer_around(shape, number, || ()).0
    }

    /// A block, and what lies between its attention and its MLP.
    fn layer_around<T>(&self, shape: &Layer, number: u32, middle: impl FnOnce() -> T) -> (LayerModule, T) {
        let attention = self.attention(&shape.attention, shape.names);
        let middle = middle();
        let mlp = self.mlp(&shape.mlp, shape.names);
        let norms = (0..crate::arch::block_norms(shape.order)).map(|_| self.norm(shape.norm, self.hidden)).collect();
        let beside = shape.beside.map(|experts| BesideModule {
            scales: [self.param([1, self.hidden]), self.param([1, experts.count])],
            experts: self.experts(&experts),
            norms: [0; 3].map(|_| self.norm(shape.norm, self.hidden)),
        });
        let per_layer = shape.own_input.filter(|own| own.columns > 0).map(|own| PerLayerBlock {
            gate: self.linear(self.hidden, own.columns, false, "per_layer_input_gate"),
            projection: self.linear(own.columns, self.hidden, false, "per_layer_projection"),
            norm: self.norm(shape.norm, self.hidden),
        });
        let alternating = match shape.order {
            Order::Alternating { streams, rank } => Some(AlternatingBlock {
                streams,
                scale: self.param([1, self.hidden]),
                correction: self.plain(streams, streams, false),
                prediction: self.plain(streams, streams * streams, false),
                router: self.plain(self.hidden, streams, false),
                router_norm: self.norm(shape.norm, self.hidden),
                laurel: [
                    self.linear(self.hidden, rank, false, "laurel.linear_left"),
                    self.linear(rank, self.hidden, false, "laurel.linear_right"),
                ],
                laurel_norm: self.norm(shape.norm, self.hidden),
            }),
            _ => None,
        };
        let vectors = shape.scaled_by_vectors.then(|| [self.param([1, self.hidden]), self.param([1, self.hidden])]);
        (LayerModule { shape: *shape, number, norms, attention, mlp, beside, per_layer, alternating, vectors }, middle)
    }

    /// The blocks of a decoder that sees an encoder. `encoder` builds what belongs to the first block of that.
    pub(super) fn decoder(&self, shape: &Decoder, encoder: &Self, blocks: &mut Vec<Vec<ParamId>>) -> DecoderModule {
        let block = |number: u64| {
            let before = self.tape.param_ids().count();
            let (own, (cross, norm)) = self.layer_around(&shape.layer, u32::try_from(number + 1).unwrap_or(u32::MAX), || {
                (self.attention(&shape.layer.attention, shape.layer.names), self.norm(shape.layer.norm, self.hidden))
            });
            let block = CrossAttentionBlock { own, cross, norm };
            blocks.push(self.tape.param_ids().skip(before).collect());
            block
        };
        match shape.stacks {
            Stacks::Distances { buckets } => {
                let bias = |of: &Self| of.param([buckets, shape.layer.attention.heads]);
                DecoderModule {
                    blocks: (0..shape.blocks).map(block).collect(),
                    norm: Some(self.norm(shape.layer.norm, self.hidden)),
                    places: PlacesModule::Distances([bias(encoder), bias(self)]),
                }
            }
            Stacks::Positions(stacks) => {
                let table = self.positions(&stacks);
                DecoderModule {
                    blocks: (0..shape.blocks).map(block).collect(),
                    places: PlacesModule::Positions {
                        shape: stacks,
                        table,
                        embedding_norm: stacks.embedding_norm.map(|norm| self.norm(norm, self.hidden)),
                    },
                    norm: stacks.final_norm.map(|norm| self.norm(norm, self.hidden)),
                }
            }
        }
    }

    /// The table of positions of a stack, unless it is a buffer.
    pub(super) fn positions(&self, stacks: &PositionStacks) -> Option<ParamId> {
        let table = |of: &Self| {
            let id = of.param([stacks.rows, self.hidden]);
            self.tape.with_param(id, |param| param.embedding = true);
            id
        };
        match stacks.positions {
            Positions::Learned => Some(table(self)),
            Positions::Frozen => Some(table(&self.if_trained(false))),
            Positions::Buffer => None,
        }
    }
}
