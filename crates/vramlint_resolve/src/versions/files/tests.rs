//! What each kind of file says.

use super::*;

/// `library version rank` and the text at the place, one a line.
fn summaries(form: ManifestKind, text: &str) -> Vec<String> {
    let show = |mention: &LibraryMention| {
        let LibraryMention { library, version, range, .. } = mention;
        format!("{library} {version} <{}>", range.slice(text))
    };
    read_mentions(form, text).iter().map(show).collect()
}

#[test]
fn requirements() {
    let text = "\
# comment
-r base.txt
--constraint=limits.txt
--extra-index-url https://download.pytorch.org/whl/cu121
torch==2.1.0+cu121
transformers[torch, sentencepiece] >= 4.40, < 5  # why
Flash_Attn==2.5.* ; sys_platform == 'linux'
accelerate==0.30.1 ; sys_platform == 'darwin'
peft~=0.10.0
trl @ git+https://github.com/huggingface/trl.git@v0.9.6
deepspeed @ git+https://github.com/microsoft/DeepSpeed.git
bitsandbytes==0.43.1 --hash=sha256:aaaa
-e git+https://github.com/huggingface/accelerate.git@v1.2.1#egg=accelerate
git+https://github.com/huggingface/transformers
https://x.org/whl/xformers-0.0.26-cp310-cp310-linux_x86_64.whl
vllm
datasets==2.19.0 \\
    --hash=sha256:bbbb \\
    --hash=sha256:cccc
requests==2.0
";
    let found = summaries(ManifestKind::Requirements, text);
    let expected = [
        "torch 2.1.0+cu121 <torch==2.1.0+cu121>",
        "transformers >=4.40,<5 <transformers[torch, sentencepiece] >= 4.40, < 5>",
        "flash-attn ==2.5.* <Flash_Attn==2.5.* ; sys_platform == 'linux'>",
        "peft ~=0.10.0 <peft~=0.10.0>",
        "trl 0.9.6 <trl @ git+https://github.com/huggingface/trl.git@v0.9.6>",
        "deepspeed * <deepspeed @ git+https://github.com/microsoft/DeepSpeed.git>",
        "bitsandbytes 0.43.1 <bitsandbytes==0.43.1>",
        "accelerate 1.2.1 <-e git+https://github.com/huggingface/accelerate.git@v1.2.1#egg=accelerate>",
        "xformers 0.0.26 <https://x.org/whl/xformers-0.0.26-cp310-cp310-linux_x86_64.whl>",
        "vllm * <vllm>",
        "datasets 2.19.0 <datasets==2.19.0>",
    ];
    assert_eq!(found, expected);
    let paths: Vec<(String, bool)> = includes(text).into_iter().map(|one| (one.path, one.constraint)).collect();
    assert_eq!(paths, [("base.txt".to_owned(), false), ("limits.txt".to_owned(), true)]);
    // Windows, with a mark.
    let windows = format!("\u{feff}{}", "torch==2.1.0\r\ntrl>=0.9\r\n");
    assert_eq!(summaries(ManifestKind::Requirements, &windows), ["torch 2.1.0 <torch==2.1.0>", "trl >=0.9 <trl>=0.9>"]);
}

#[test]
fn markers_choose_and_plain_ranges_add_up() {
    let text = "transformers==4.30.0; python_version < '3.8'\ntransformers==4.44.0; python_version >= '3.8'\n";
    assert_eq!(read_mentions(ManifestKind::Requirements, text).len(), 2);
    assert_eq!(summaries(ManifestKind::Requirements, "torch>=2\ntorch<3\n"), ["torch >=2,<3 <torch>=2>"]);
}

#[test]
fn pyproject_of_every_tool() {
    let text = "\
[project]
name = \"x\"
dependencies = [\"transformers>=4.40,<5\", \"numpy\", 3]
[project.optional-dependencies]
train = [\"deepspeed==0.14.0\"]
[dependency-groups]
dev = [\"trl==0.9.6\", {include-group = \"x\"}]
[tool.poetry.dependencies]
python = \"^3.10\"
torch = \"^2.1\"
peft = {version = \"~0.10.0\", extras = [\"a\"]}
accelerate = {git = \"https://github.com/huggingface/accelerate.git\", tag = \"v0.30.1\"}
bitsandbytes = [{version = \"0.43.1\", markers = \"x\"}, {version = \"0.42.0\"}]
[tool.poetry.group.train.dependencies]
datasets = \"*\"
";
    let expected = [
        "transformers >=4.40,<5 <\"transformers>=4.40,<5\">",
        "numpy * <\"numpy\">",
        "deepspeed 0.14.0 <\"deepspeed==0.14.0\">",
        "trl 0.9.6 <\"trl==0.9.6\">",
        "accelerate 0.30.1 <accelerate = {git = \"https://github.com/huggingface/accelerate.git\", tag = \"v0.30.1\"}>",
        "bitsandbytes 0.43.1 <bitsandbytes = [{version = \"0.43.1\", markers = \"x\"}, {version = \"0.42.0\"}]>",
        "bitsandbytes 0.42.0 <bitsandbytes = [{version = \"0.43.1\", markers = \"x\"}, {version = \"0.42.0\"}]>",
        "peft >=0.10.0,<0.11 <peft = {version = \"~0.10.0\", extras = [\"a\"]}>",
        "torch >=2.1,<3 <torch = \"^2.1\">",
        "datasets * <datasets = \"*\">",
    ];
    assert_eq!(summaries(ManifestKind::Pyproject, text), expected);
    let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert_eq!(summaries(ManifestKind::Pyproject, &windows), expected);
    assert!(summaries(ManifestKind::Pyproject, "[project\n").is_empty());
}

#[test]
fn lock_files() {
    let uv = "version = 1\n[[package]]\nname = \"torch\"\nversion = \"2.4.1+cu124\"\nsource = {}\n\n[[package]]\nname = \"x\"\nversion = \"1\"\n";
    assert_eq!(summaries(ManifestKind::Lock, uv), ["torch 2.4.1+cu124 <version = \"2.4.1+cu124\">"]);
    assert_eq!(summaries(ManifestKind::Lock, &uv.replace('\n', "\r\n")), ["torch 2.4.1+cu124 <version = \"2.4.1+cu124\">"]);
    // `[package.dependencies]` may hold a key `version` or `name`.
    let poetry = "[[package]]\nname = \"trl\"\nversion = \"0.9.6\"\n[package.dependencies]\ntorch = \">=1\"\nversion = \"9\"\n[metadata]\nversion = \"1\"\n";
    assert_eq!(summaries(ManifestKind::Lock, poetry), ["trl 0.9.6 <version = \"0.9.6\">"]);
    let pipfile = "{\"_meta\": {\"hash\": {}}, \"default\": {\"torch\": {\"version\": \"==2.1.0\"}, \"trl\": {\"git\": \"x\"}}, \"develop\": {}}";
    assert_eq!(summaries(ManifestKind::PipfileLock, pipfile), ["torch 2.1.0 <\"==2.1.0\">"]);
    assert_eq!(summaries(ManifestKind::Pipfile, "[packages]\ntorch = \"==2.1.0\"\ntrl = \"*\"\n").len(), 2);
}

#[test]
fn conda_environments() {
    let text = "name: x\ndependencies:\n  - python=3.10\n  - pytorch::pytorch=2.1.0=py3.10_cuda12.1_0\n  - conda-forge::transformers>=4.40\n  - pip\n  - pip:\n      - trl==0.9.6\n      - -r requirements.txt\n";
    let expected = [
        "torch 2.1.0 <pytorch::pytorch=2.1.0=py3.10_cuda12.1_0>",
        "transformers >=4.40 <conda-forge::transformers>=4.40>",
        "trl 0.9.6 <trl==0.9.6>",
    ];
    assert_eq!(summaries(ManifestKind::Conda, text), expected);
}

#[test]
fn setup_files() {
    let cfg = "[metadata]\nname = x\n[options]\ninstall_requires =\n    torch>=2.0\n    # no\n    transformers==4.44.0\npython_requires = >=3.8\n[options.extras_require]\ntrain = trl==0.9.6\n";
    assert_eq!(
        summaries(ManifestKind::SetupCfg, cfg),
        ["torch >=2.0 <torch>=2.0>", "transformers 4.44.0 <transformers==4.44.0>", "trl 0.9.6 <trl==0.9.6>"]
    );
    let py =
        "REQUIRED = ['torch>=2.0', \"transformers==4.44.0\"]  # 'trl==1'\nsetup(install_requires=REQUIRED, x=f\"peft=={v}\")\n";
    let found = summaries(ManifestKind::SetupPy, py);
    assert!(
        found.contains(&"torch >=2.0 <torch>=2.0>".to_owned()) && !found.iter().any(|one| one.starts_with("peft")),
        "{found:?}"
    );
    assert!(summaries(ManifestKind::SetupPy, "print('torch==2.0')\n").is_empty());
}

#[test]
fn commands_that_install() {
    let text = "FROM x\nRUN pip install --no-cache-dir \"transformers==4.44.0\" trl==0.9.6 \\\n    peft==0.10.0 && pip check\n# pip install torch==1.0\nRUN pip3 install torch==$TORCH accelerate>=0.30\n";
    let show = |mention: &LibraryMention| format!("{} {} <{}>", mention.library, mention.version, mention.range.slice(text));
    assert_eq!(
        pip_installs(text).iter().map(show).collect::<Vec<_>>(),
        ["transformers 4.44.0 <transformers==4.44.0>", "trl 0.9.6 <trl==0.9.6>", "peft 0.10.0 <peft==0.10.0>"]
    );
}

#[test]
fn names_of_files() {
    for (name, form) in [
        ("requirements.txt", ManifestKind::Requirements),
        ("requirements-train.txt", ManifestKind::Requirements),
        ("train_requirements.txt", ManifestKind::Requirements),
        ("constraints.txt", ManifestKind::Requirements),
        ("Pipfile", ManifestKind::Pipfile),
        ("poetry.lock", ManifestKind::Lock),
        ("environment.yml", ManifestKind::Conda),
        ("environment_gpu.yaml", ManifestKind::Conda),
    ] {
        assert_eq!(ManifestKind::from_name(name), Some(form), "{name}");
    }
    for name in ["notes.txt", "train.yaml", "config.toml", "package-lock.json", ".requirements"] {
        assert_eq!(ManifestKind::from_name(name), None, "{name}");
    }
}

#[test]
fn what_a_script_installs_for_itself() {
    let show = |text: &'static str| {
        let line = |mention: &LibraryMention| format!("{} {} <{}>", mention.library, mention.version, mention.range.slice(text));
        script_pins(text).iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(
        show(
            "#!/usr/bin/env python\n# /// script\n# requires-python = \">=3.10\"\n# dependencies = [\n#     \"transformers==4.56.2\",\n#     \"trl[vllm]>=0.20\",\n# ]\n# ///\nimport trl\n"
        ),
        ["transformers 4.56.2 <\"transformers==4.56.2\">"]
    );
    assert_eq!(
        show(
            "# get_ipython().run_cell_magic('bash', '', 'pip install -q trl==0.22.2\\n# pip install peft==0.1.0\\n')\n    get_ipython().system('pip install transformers==4.56.2')\n"
        ),
        ["trl 0.22.2 <trl==0.22.2>", "transformers 4.56.2 <transformers==4.56.2>"]
    );
    assert_eq!(
        show("# !pip install trl==0.22.2\n%pip install peft==0.10.0\n"),
        ["trl 0.22.2 <trl==0.22.2>", "peft 0.10.0 <peft==0.10.0>"]
    );
    assert!(show("# pip install trl==0.22.2\nprint('pip install trl==0.1.0')\n").is_empty());
}
