//! Model types of transformers 5.23 that nothing here describes, by kind (`models/auto/configuration_auto.py` and `modeling_auto.py`).
//!
//! A type is listed if no family reads it and the default configuration of its class, read as that of a usual decoder, has over 5 % more or
//! fewer parameters than the class has on the meta device, or if its class is no decoder of text. `tests/oracle/model_types.py` lists them.

/// State-space and hybrid models.
#[rustfmt::skip]
pub(super) const STATE_SPACE: &[&str] = &[
    "bamba", "falcon_h1", "falcon_mamba", "jamba", "lfm3", "lfm3_vl", "mamba",
    "mamba2", "nemo_speechlm", "nemotron_h", "nemotron_h_omni", "recurrent_gemma", "rwkv", "xlstm", "zamba", "zamba2",
];

/// Models of time series.
#[rustfmt::skip]
pub(super) const TIME_SERIES: &[&str] = &[
    "autoformer", "informer", "patchtsmixer", "patchtst", "time_series_transformer", "timesfm", "timesfm2_5",
];

/// Audio models, and the parts of others that hear and speak.
#[rustfmt::skip]
pub(super) const AUDIO: &[&str] = &[
    "audio-spectrogram-transformer", "audioflamingo3", "audioflamingo3_encoder", "bark", "canary", "clap", "clap_audio_model",
    "clap_text_model", "clvp", "clvp_decoder", "clvp_encoder", "cohere_asr", "csm", "csm_depth_decoder_model", "dac",
    "data2vec-audio", "dia", "dots3_note_audio_encoder", "encodec", "fastspeech2_conformer", "fastspeech2_conformer_hifigan",
    "fastspeech2_conformer_with_hifigan", "fun_asr_nano", "fun_asr_nano_encoder", "gemma3n_audio", "gemma4_audio",
    "gemma4_unified_audio", "glmasr_encoder", "gradium_phonon_tts", "granite_speech", "granite_speech5_ctc",
    "granite_speech5_encoder", "granite_speech_encoder", "granite_speech_plus", "granite_speech_plus_encoder", "higgs_audio_v2",
    "higgs_audio_v2_tokenizer", "hubert", "inkling_audio", "kyutai_speech_to_text", "lasr_ctc", "lasr_encoder", "mimi",
    "mimi_decoder", "mimi_encoder", "moonshine", "moonshine_streaming", "moshi", "moshi_depth", "moss_transcribe_diarize_audio",
    "muse_spark_audio", "musicflamingo", "musicgen", "musicgen_melody", "nemotron3_5_asr", "nemotron3_5_transcribe_asr_audio",
    "nemotron3_5_transcribe_audio", "nemotron3_5_transcribe_word_timestamp", "nemotron3_diarization",
    "nemotron3_diarization_audio", "nemotron_asr_streaming", "nemotron_asr_streaming_encoder", "neucodec", "parakeet_ctc",
    "parakeet_rnnt", "parakeet_tdt", "pe_audio", "pe_audio_encoder", "pe_audio_video", "pe_audio_video_encoder",
    "phi4_multimodal_audio", "pocket_tts", "pocket_tts_audio_tokenizer", "pocket_tts_audio_tokenizer_decoder",
    "pocket_tts_audio_tokenizer_encoder", "pop2piano", "qwen2_5_omni", "qwen2_5_omni_audio_encoder", "qwen2_5_omni_bigvgan",
    "qwen2_5_omni_dit", "qwen2_5_omni_talker", "qwen2_5_omni_token2wav", "qwen2_audio_encoder", "qwen3_asr", "qwen3_asr_encoder",
    "qwen3_omni_moe", "qwen3_omni_moe_audio_encoder", "qwen3_omni_moe_talker_code_predictor", "qwen3_omni_moe_talker_text",
    "seamless_m4t", "seamless_m4t_v2", "sew", "sew-d", "speech-encoder-decoder", "speech_to_text", "speecht5", "speecht5_hifigan",
    "unispeech", "unispeech-sat", "univnet", "vibevoice", "vibevoice_asr", "vits", "voxtral", "voxtral_encoder",
    "voxtral_realtime", "voxtral_realtime_encoder", "voxtral_realtime_text", "wav2vec2", "wav2vec2-bert", "wav2vec2-conformer",
    "wavlm", "whisper", "xcodec", "xcodec2",
];

/// Vision models, and the parts of others that see.
#[rustfmt::skip]
pub(super) const VISION: &[&str] = &[
    "aimv2_vision_model", "align_vision_model", "altclip_vision_model", "aya_vision", "beit", "bit", "blip_2_vision_model",
    "blip_vision_model", "bridgetower_vision_model", "chameleon_vqgan", "chinese_clip_vision_model", "chmv2", "clip_vision_model",
    "clipseg_vision_model", "cohere_compass_vision", "conditional_detr", "convnext", "convnextv2", "cosmos3_edge_vision", "cvt",
    "d_fine", "dab-detr", "data2vec-vision", "deepseek_ocr2_sam_vision_model", "deepseek_ocr2_vision", "deformable_detr",
    "deimv2", "depth_anything", "depth_pro", "detr", "dinat", "dinov3_convnext",
    "dinov3_vit", "donut-swin", "dots3_note_vision_encoder", "dpt", "edgetam", "edgetam_mask_decoder", "edgetam_prompt_encoder",
    "edgetam_video", "edgetam_video_mask_decoder", "edgetam_video_prompt_encoder", "edgetam_vision_model", "efficientloftr",
    "efficientnet", "emu3_vqgan", "eomt", "eomt_dinov3", "ernie4_5_vl_moe_vision", "exaone4_5_vision", "flava_image_codebook",
    "flava_image_model", "florence2", "florence_vision", "focalnet", "gemma3n_vision", "gemma4_unified_vision", "gemma4_vision",
    "git_vision_model", "glm4v_moe_vision", "glm4v_vision", "glm5_next_vision", "glm_image", "glm_image_vision",
    "glm_image_vqmodel", "glm_ocr_vision", "glpn", "got_ocr2_vision", "granite4_vision", "granite_docling_vision",
    "grounding-dino", "groupvit", "groupvit_text_model", "groupvit_vision_model", "hgnet_v2", "hiera", "hunyuan_vl_vision",
    "hyperclovax_vision_v2", "idefics2_perceiver", "idefics2_vision", "idefics3_vision", "idefics_vision", "ijepa", "imagegpt",
    "inkling2_vision", "inkling_vision", "instructblip_vision_model", "instructblipvideo_vision_model", "internvl_vision",
    "janus_vision_model", "janus_vqgan", "kimi_k25_vision", "kosmos_2_5_vision_model", "kosmos_2_vision_model", "levit",
    "lfm3_vl_vision", "lightglue", "llama4_vision_model", "lw_detr", "lw_detr_vit", "mask2former", "maskformer",
    "maskformer-swin", "metaclip_2_vision_model", "minicpm_ocr_vision", "minicpmv4_6_vision", "minicpmv4_7_vision",
    "minimax_m3_vl_vision", "mlcd", "mlcd_vision_model", "mllama_vision_model", "mm-grounding-dino", "mobilenet_v1",
    "mobilenet_v2", "mobilevit", "mobilevitv2", "molmo2_adapter", "molmo2_vision", "muse_glimmer_vision", "muse_spark_vision",
    "omdet-turbo", "oneformer", "ovis2_vision", "owlv2", "owlv2_vision_model", "owlvit", "owlvit_text_model",
    "owlvit_vision_model", "paddleocr_vl_vision", "pe_video", "pe_video_encoder", "perceiver", "phi4_multimodal_vision",
    "pix2struct_vision_model", "pixio", "pixtral", "poolformer", "pp_chart2table_vision", "pp_doclayout_v2", "pp_doclayout_v3",
    "pp_doclayout_v4", "pp_formulanet_vision", "pp_lcnet", "pp_lcnet_v3", "pp_lcnet_v4", "pp_ocrv5_mobile_det",
    "pp_ocrv5_mobile_rec", "pp_ocrv5_server_det", "pp_ocrv5_server_rec", "pp_ocrv6_medium_det", "pp_ocrv6_small_det",
    "pp_ocrv6_small_rec", "pp_ocrv6_tiny_rec", "prompt_depth_anything", "pvt", "pvt_v2", "qianfan_ocr_vision",
    "qwen2_5_omni_vision_encoder", "qwen2_5_vl_vision", "qwen2_vl_vision", "qwen3_5_moe_vision", "qwen3_5_vision",
    "qwen3_omni_moe_vision_encoder", "qwen3_vl_moe_vision", "qwen3_vl_vision", "qwen4_exp_vision", "regnet", "resnet", "rf_detr",
    "rf_detr_dinov2", "rt_detr", "rt_detr_resnet", "rt_detr_v2", "sam", "sam2", "sam2_hiera_det_model", "sam2_mask_decoder",
    "sam2_prompt_encoder", "sam2_video", "sam2_video_mask_decoder", "sam2_video_prompt_encoder", "sam2_vision_model", "sam3",
    "sam3_detr_decoder", "sam3_detr_encoder", "sam3_geometry_encoder", "sam3_lite_text", "sam3_lite_text_detr_decoder",
    "sam3_lite_text_detr_encoder", "sam3_lite_text_geometry_encoder", "sam3_lite_text_mask_decoder", "sam3_lite_text_text_model",
    "sam3_mask_decoder", "sam3_tracker", "sam3_tracker_mask_decoder", "sam3_tracker_prompt_encoder", "sam3_tracker_video",
    "sam3_tracker_video_mask_decoder", "sam3_tracker_video_prompt_encoder", "sam3_video", "sam3_vision_model", "sam3_vit_model",
    "sam_hq", "sam_hq_mask_decoder", "sam_hq_prompt_encoder", "sam_hq_vision_model", "sam_mask_decoder", "sam_prompt_encoder",
    "sam_vision_model", "sapiens2", "segformer", "seggpt", "siglip2_vision_model", "siglip_vision_model", "slanet", "slanext",
    "slanext_vision", "smolvlm_vision", "step3p5_vision", "superglue", "superpoint", "swiftformer", "swin", "swin2sr", "swinv2",
    "table-transformer", "textnet", "timesformer", "timm_backbone", "timm_wrapper", "tipsv2_dpt", "tipsv2_vision_model",
    "unlimited_ocr_sam_vision_model", "unlimited_ocr_vision", "unlimited_ocr_vision_encoder", "upernet", "uvdoc",
    "uvdoc_backbone", "video_llama_3_vision", "videomae", "videomt", "videoprism_vision_model", "vision-encoder-decoder",
    "vision-text-dual-encoder", "vit_mae", "vit_msn", "vitdet", "vitmatte", "vitpose", "vitpose_backbone", "vivit",
    "vjepa2", "xclip_vision_model", "yolos", "zoedepth",
];

/// Encoder-decoder models.
#[rustfmt::skip]
pub(super) const ENCODER_DECODER: &[&str] = &[
    "bigbird_pegasus", "blenderbot", "blenderbot-small", "blt_local_decoder", "canary_decoder", "dia_decoder",
    "dia_encoder", "encoder-decoder", "fsmt", "led", "musicgen_decoder", "musicgen_melody_decoder",
    "mvp", "nllb-moe", "pegasus_x", "plbart", "prophetnet", "rag", "switch_transformers", "t5_gemma_module", "t5gemma",
    "t5gemma2_decoder", "t5gemma2_encoder", "vibevoice_acoustic_tokenizer_decoder",
];

/// Multimodal models.
#[rustfmt::skip]
pub(super) const MULTIMODAL: &[&str] = &[
    "align", "altclip", "blip", "blip-2", "chameleon", "chinese_clip", "clip", "clipseg", "cohere_compass", "colmodernvbert",
    "colpali", "deepseek_ocr2", "diffusion_gemma", "dots3_note", "emu3", "ernie4_5_vl_moe", "evolla", "fast_vlm",
    "glm_ocr", "glmasr", "granite_docling", "hunyuan_vl", "idefics", "idefics2", "inkling_mm_model", "instructblip",
    "instructblipvideo", "kosmos-2", "kosmos-2.5", "lighton_ocr", "metaclip_2", "moss_transcribe_diarize", "muse_spark",
    "perception_lm", "phi4_multimodal", "pi0", "pix2struct", "pp_formulanet", "qwen2_5_omni_thinker", "qwen2_audio", "qwen4_exp",
    "siglip", "siglip2", "t5gemma2", "tipsv2", "udop", "videoprism", "vilt",
];

/// Encoders.
#[rustfmt::skip]
pub(super) const ENCODER: &[&str] = &[
    "aimv2_text_model", "align_text_model", "altclip_text_model", "blip_2_qformer", "blip_text_model",
    "blt_global_transformer", "blt_local_encoder", "bridgetower_text_model", "bros", "canine", "chinese_clip_text_model",
    "clip_text_model", "clipseg_text_model", "colqwen2", "convbert", "decision_transformer", "deepseek_ocr2_encoder",
    "emu3_text_model", "esmc", "eurobert", "flaubert", "flava", "flava_text_model", "fnet", "funnel", "gte", "ibert",
    "instructblip_qformer", "instructblipvideo_qformer", "jev", "jina_embeddings_v3", "kosmos_2_5_text_model",
    "kosmos_2_text_model", "layoutlm", "layoutlmv2", "layoutlmv3", "lilt", "longformer", "luke", "lxmert", "markuplm",
    "metaclip_2_text_model", "mobilebert", "modernvbert", "moonshine_streaming_encoder", "mra", "neomme", "nomic_bert",
    "nystromformer", "openai_privacy_filter", "owlv2_text_model", "parakeet_encoder", "pix2struct_text_model", "reformer",
    "rembert", "roc_bert", "siglip2_text_model", "siglip_text_model", "splinter", "squeezebert", "tapas", "tipsv2_text_model",
    "ultrabert", "ultravbert", "vibevoice_acoustic_tokenizer_encoder", "videoprism_text_model", "visual_bert", "xclip_text_model",
    "xlm", "xmod", "yoso",
];

/// Models with layers of their own.
#[rustfmt::skip]
pub(super) const OWN: &[&str] = &[
    "EvollaModel", "aimv2", "bitnet", "blt", "blt_patcher", "bridgetower", "cohere_compass_text", "cpmant", "dbrx",
    "deepseek_ocr2_text", "diffusion_gemma_text", "dpr", "embedding_gemma2", "embedding_gemma2_text", "ernie4_5_vl_moe_text",
    "esmfold2", "flava_multimodal_model", "gemma4_assistant", "gemma4_unified_assistant",
    "glm_image_text", "glm_ocr_text", "granite4_vision_text", "granite_docling_text", "hrm_text", "hunyuan_vl_text",
    "idefics_perciever", "jetmoe", "layoutxlm", "longcat_flash", "mgp-str", "muse_glimmer_assistant", "muse_spark_text", "nougat",
    "olmo_hybrid", "openai-gpt", "pp_formulanet_text", "qwen2_5_omni_text", "qwen4_exp_text", "radio", "sapiens2_head",
    "t5gemma2_text", "trocr", "tvp", "vibevoice_acoustic_tokenizer", "vibevoice_diffusion", "xclip", "xglm",
];

/// Pipelines of diffusers (0.40 `src/diffusers/pipelines`), which have no model type.
#[rustfmt::skip]
pub(super) const DIFFUSION: &[&str] = &[
    "cogvideo", "flux", "flux2", "hunyuan_video", "kandinsky", "kandinsky2_2", "ltx", "pixart_alpha", "qwenimage",
    "stable_diffusion", "stable_diffusion_xl", "wan", "z_image",
];
