//! The problems of the table: shapes of the named models and tests, as their publishers state
//! them.

/// Devices, each with its problems and their sources.
pub(crate) const PROBLEMS: [(&str, &[(&str, &str)]); 5] = [
    (
        "emulated:mi300x",
        &[
            ("argmax:1x[32000]xf32", "Llama 2, Mistral"),
            ("argmax:12x[32000]xf32", "the same, batch 12"),
            ("argmax:1x[128256]xf32", "Llama 3"),
            ("argmax:64x[128256]xbf16", "the same, batch 64"),
            ("argmax:1x[129280]xbf16", "DeepSeek V3"),
            ("argmax:8x[129280]xbf16", "the same, batch 8"),
            ("argmax:128x[129280]xf16", "the same, batch 128"),
            ("argmax:1x[151936]xbf16", "Qwen 3"),
            ("argmax:16x[151936]xbf16", "the same, batch 16"),
            ("argmax:256x[151936]xf32", "the same, batch 256"),
            ("argmax:4x[163840]xbf16", "Kimi K2.5, batch 4"),
            ("argmax:1x[200064]xbf16", "MiniMax M2"),
            ("argmax:64x[201088]xf16", "gpt-oss, batch 64"),
            ("argmax:1x[256000]xbf16", "Gemma 2"),
            ("argmax:32x[262144]xbf16", "Gemma 3, batch 32"),
            ("argmax:2x[131072]xbf16", "IREE's issue 20650"),
            ("argmax:64x[31040]xbf16", "an eighth of 248,320 tokens"),
            ("argmax:2x[75968]xf32:i64", "half of 151,936 tokens"),
            ("argmax:16384x[8]xf32", "routing, 8 experts"),
            ("argmax:4096x[128]xf32", "routing, 128 experts"),
            ("argmax:163840x[384]xf32", "routing, 384 experts"),
            ("argmax:512x[512]xf32", "routing, 512 experts"),
            ("argmax:16x[21]x513x513xf32", "DeepLabV3, classes first"),
            ("argmax:64x[21]x240x240xf16", "FCN, classes first"),
            ("argmax:1x[150]x512x512xf32", "ADE20K, classes first"),
            ("argmin:65536x[1024]xf32", "vector quantisation"),
            ("argmax:4x[4096]xf32", "IREE's tests"),
            ("argmax:32x[4096]xf32", "IREE's tests"),
            ("argmax:8x[2048]xf16", "IREE's tests"),
            ("argmax:32x[50257]xf32", "GPT-2, batch 32"),
            ("argmax:64x[1000]xf32", "ImageNet"),
            ("argmax:[1048576]xf32", "one long row"),
            ("argmax:4x[32000]xi8", "quantised logits"),
            ("argmax:2x[3]x4xf32", "IREE's issue 24309"),
        ],
    ),
    ("emulated:mi210", OTHERS),
    ("emulated:mi355x", OTHERS),
    ("emulated:rx7900xtx", OTHERS),
    ("emulated:rx9070xt", OTHERS),
];

const OTHERS: &[(&str, &str)] = &[
    ("argmax:1x[32000]xf32", "Llama 2, Mistral"),
    ("argmax:8x[129280]xbf16", "DeepSeek V3, batch 8"),
    ("argmax:16384x[8]xf32", "routing, 8 experts"),
    ("argmax:4096x[128]xf32", "routing, 128 experts"),
    ("argmax:64x[21]x240x240xf16", "FCN, classes first"),
    ("argmax:4x[4096]xf32", "IREE's tests"),
    ("argmax:32x[4096]xf32:i32:index_base", "part of a split row"),
    (
        "argmax:64x[1024]xf32:i32:explicit_index",
        "the merge of a split",
    ),
    (
        "arg_compare{2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)}:8x[4096]xf32",
        "largest absolute value",
    ),
    ("argmax:64x[1000]xf32", "ImageNet"),
];
