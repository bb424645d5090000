//! Text in, embedded texts out; and the way back for every character.

use super::*;
use Language::{Bash, Json, Python, Yaml};

type Reader = fn(&str) -> Vec<Embedded>;

const MARKDOWN: &str = "# 训练\r\n\r\n- step\r\n\r\n  ```yaml title=\"configs/a.yaml\"\r\n  a: 批\r\n    b: 2\r\n  ```\r\n\r\n> ~~~~ {.bash}\r\n> accelerate launch \\\r\n>   x.py\r\n> ~~~~\r\n\r\n```console\n$ export A=1\n(venv) $ run \\\n> --x 1\noutput\n```\n\n1.\t```json\n\t{\"批\": 1}\n\t\tx\n\t```\n\n```python\n>>> a = 1\n... \n1\n```\n\n```yaml\nopen: 1\n";
const MAKEFILE: &str = "NPROC ?= 4\nexport CUDA_VISIBLE_DEVICES := 0,1\nFLAGS = --批 1 \\\n  x\nARGS = --lr 2e-5 --bf16 # why\nOUT = $(shell pwd)/o\nBAD += 1\n\ntrain: data\n\t@echo \"训 $$HOME\" $@\n\tcd x\n\taccelerate launch --num_processes $(NPROC) \\\n\t  train.py $(ARGS) $(notdir $(OUT))\n\nall: NPROC = 8\n\t-x\n";
const DOCKERFILE: &str = "FROM base AS 甲\nENV NCCL_DEBUG=INFO A=\"1 2\" \\\n  # note\n  B=3\nENV OLD value of 训练\nRUN --mount=type=cache,target=/x pip install a && \\\n    # comment\n    pip install b\nRUN export X=1\nRUN <<EOF\necho 1\nEOF\nCMD [\"nothing\"]\nCMD [\"train.py\", \\\n  \"--text\", \"批 量\", \"it's\", \"a\\tb\"]\nENTRYPOINT [\"accelerate\", \"launch\"]\nFROM b\nCMD torchrun x.py";
const WORKFLOW: &str = "on: push\njobs:\n  a:\n    defaults:\n      run:\n        shell: bash\n    steps:\n      - name: 训练\n        run: |\n          echo ${{ secrets.批 }}\n            deep\n\n          torchrun x.py\n      - run: python a.py # note\n        shell: pwsh\n      - shell: cmd\n        run: dir\n      - run: >-\n          accelerate launch\n          y.py\n      - run: 'make x'\n";

const HOSTS: [(Reader, &str); 4] = [(markdown, MARKDOWN), (makefile, MAKEFILE), (dockerfile, DOCKERFILE), (workflow, WORKFLOW)];

fn texts(found: &[Embedded]) -> Vec<&str> {
    found.iter().map(|embedded| embedded.text.as_str()).collect()
}

/// Every character has a place inside the host, at the edges of characters, and inside the embedded range. Gives how many
/// characters are there as they are.
fn check_way_back(host: &str, embedded: &Embedded) -> usize {
    assert!(host.get(embedded.range.as_usize()).is_some(), "{:?} of {host:?}", embedded.range);
    assert!(embedded.map.is_sorted_by_key(|(own, _)| *own));
    let mut same = 0;
    for (at, found) in embedded.text.char_indices() {
        let place = embedded.to_host(TextRange::of(at..at + found.len_utf8()));
        assert!(embedded.range.contains(place), "{place:?} of {:?}", embedded.range);
        let written = host.get(place.as_usize()).unwrap_or_else(|| panic!("{place:?} of {found:?} cuts a character of {host:?}"));
        same += usize::from(written.chars().eq([found]));
    }
    let whole = embedded.to_host(TextRange::of(0..embedded.text.len()));
    assert!(host.get(whole.as_usize()).is_some());
    assert_eq!(embedded.to_host(TextRange::at(0)).len(), 0);
    same
}

#[test]
fn every_truncation_is_read_and_has_its_way_back() {
    for (read, host) in HOSTS {
        for end in (0..=host.len()).filter(|end| host.is_char_boundary(*end)) {
            for text in [host[..end].to_owned(), host[end..].to_owned(), host[..end].replace('\n', "\r\n")] {
                for embedded in read(&text) {
                    check_way_back(&text, &embedded);
                }
            }
        }
        for (at, found) in host.char_indices() {
            let text = [&host[..at], &host[at + found.len_utf8()..]].concat();
            for embedded in read(&text) {
                check_way_back(&text, &embedded);
            }
        }
    }
}

#[test]
fn long_broken_texts_take_linear_time() {
    let session = ["- ```console\n", &"  $ a\n".repeat(50_000)].concat();
    assert_eq!(markdown(&session)[0].text.len(), 2 * 50_000);
    assert_eq!(makefile(&["x:\n\t", &"$(".repeat(50_000)].concat()).len(), 1);
    assert_eq!(dockerfile(&["RUN ", &"--x \\\n".repeat(50_000), "ls"].concat())[0].text, "ls\n");
    assert_eq!(workflow(&"run: a\n".repeat(10_000)).len(), 10_000);
    assert_eq!(workflow(&["run: ", &"${{".repeat(50_000)].concat()).len(), 1);
}

#[test]
fn markdown_leads_every_character_back_to_itself() {
    for embedded in markdown(MARKDOWN) {
        let same = check_way_back(MARKDOWN, &embedded);
        let blanks = embedded.text.chars().filter(|found| found.is_whitespace()).count();
        assert!(same >= embedded.text.chars().count() - blanks, "{embedded:?}");
    }
    let plain = "text\n\n```yaml\nbatch: 4 # 批\nlr: 1\n```\n";
    let found = markdown(plain);
    for start in 0..found[0].text.len() as u32 {
        for end in start..=found[0].text.len() as u32 {
            let range = TextRange::new(start, end);
            assert_eq!(found[0].to_host(range).slice(plain), range.slice(&found[0].text));
        }
    }
    assert_eq!(found[0].range.slice(plain), "batch: 4 # 批\nlr: 1\n");
}

#[test]
fn markdown_blocks_lose_indentation_quotes_and_prompts() {
    let found = markdown(MARKDOWN);
    let lines: Vec<String> = found.iter().map(|embedded| embedded.text.replace('\r', "")).collect();
    assert_eq!(
        lines,
        [
            "a: 批\n  b: 2\n",
            "accelerate launch \\\n  x.py\n",
            "export A=1\nrun \\\n--x 1\n",
            "{\"批\": 1}\n\tx\n",
            "a = 1\n\n",
            "open: 1\n"
        ]
    );
    let languages: Vec<Language> = found.iter().map(|embedded| embedded.language).collect();
    assert_eq!(languages, [Yaml, Bash, Bash, Json, Python, Yaml]);
    assert_eq!(found[0].name.as_deref(), Some("configs/a.yaml"));
}

#[test]
fn unknown_languages_are_left_out() {
    assert!(markdown("```\na: 1\n```\n\n```rust\nfn x() {}\n```\n\n    a: 1\n\n```yaml\n```\n").is_empty());
    assert_eq!(texts(&markdown("```bash\n> out.txt\n$x\n```\n")), ["> out.txt\n$x\n"]);
    assert_eq!(texts(&markdown("```sh\nuser@host:~/a$ ls -l\nfile\n```\n")), ["ls -l\n"]);
    assert_eq!(texts(&markdown("```powershell\nPS C:\\> $env:A = 1\n```\n")), ["$env:A = 1\n"]);
    assert_eq!(texts(&markdown("```console\naccelerate test\n```\n")), ["accelerate test\n"]);
}

#[test]
fn info_strings_tell_language_and_name() {
    let cases = [
        ("yaml", Some(Language::Yaml), None),
        ("YML", Some(Language::Yaml), None),
        ("{.python .numberLines file=\"a b.py\"}", Some(Language::Python), Some("a b.py")),
        ("yaml:configs/x.yaml", Some(Language::Yaml), Some("configs/x.yaml")),
        ("json ds_config.json", Some(Language::Json), Some("ds_config.json")),
        ("jsonc {1,3-5}", Some(Language::Json), None),
        ("bash title='run.sh' linenums=\"1\"", Some(Language::Bash), Some("run.sh")),
        ("python title=\"Train a model\"", Some(Language::Python), None),
        ("pwsh", Some(Language::PowerShell), None),
        ("toml", Some(Language::Toml), None),
        ("yamllint", None, None),
        ("", None, None),
        ("配置", None, None),
    ];
    for (info, language, name) in cases {
        assert_eq!(language_of(info), language, "{info}");
        assert_eq!(super::language::name_of(info).as_deref(), name, "{info}");
    }
}

#[test]
fn a_comment_in_the_first_line_may_name_the_file() {
    let name = |text: &str| markdown(text).remove(0).name;
    assert_eq!(name("```yaml\n# configs/a.yaml\na: 1\n```\n").as_deref(), Some("configs/a.yaml"));
    assert_eq!(name("```yaml title=\"b.yaml\"\n# a.yaml\n```\n").as_deref(), Some("b.yaml"));
    assert_eq!(name("```yaml\n# see a.yaml\na: 1\n```\n"), None);
    assert_eq!(name("```python\n# 3.5\n```\n"), None);
}

#[test]
fn prose_is_what_stands_outside_fences() {
    let text = "one\r\n\r\n> ```sh\n> x\n> ```\n\ntwo 批\n```\nopen";
    let found: Vec<&str> = prose(text).into_iter().map(|range| range.slice(text)).collect();
    assert_eq!(found, ["one\r\n\r\n", "\ntwo 批\n"]);
    assert_eq!(prose(""), []);
}

#[test]
fn makefile_becomes_one_script() {
    let found = makefile(MAKEFILE);
    let expected = "NPROC=${NPROC:-4}\nexport CUDA_VISIBLE_DEVICES=0,1\nARGS=\"--lr 2e-5 --bf16\"\nOUT=\"${_________}/o\"\necho \"训 $HOME\" $_\n\
        accelerate launch --num_processes ${NPROC} \\\n  train.py ${ARGS} ${_____________}\nx\n";
    assert_eq!(texts(&found), [expected]);
    let at = expected.find("processes ${NPROC}").expect("in the text") + "processes ".len();
    assert_eq!(found[0].to_host(TextRange::of(at..at + 8)).slice(MAKEFILE), "$(NPROC)");
    let home = expected.find("$HOME").expect("in the text");
    assert_eq!(found[0].to_host(TextRange::of(home + 1..home + 5)).slice(MAKEFILE), "HOME");
}

#[test]
fn makefile_has_variables_of_targets() {
    let text = "A = 1\nbig: A = 2\nbig: part\n\trun $(A)\npart:\n\trun part $(A)\nother: big\n\trun other $(A)\n";
    assert_eq!(texts(&makefile(text)), ["A=1\nrun ${_}\nrun part ${_}\nrun other ${A}\n"]);
    assert_eq!(texts(&makefile("A = 1\nbig-%: A = 2\nx:\n\trun $(A)\n")), ["run ${A}\n"]);
}

#[test]
fn makefile_keeps_only_settled_variables() {
    let text = "A ?= 4\nB = 1\nB = 2\nifeq ($(X),1)\nC = 1\nendif\nD = \"a b\"\nE = a;b\ndefine F\nG = 1\nendef\nx:\n\trun $(A) $$(date) $${B}\n";
    assert_eq!(texts(&makefile(text)), ["A=${A:-4}\nD=\"a b\"\nrun ${A} $(date) ${B}\n"]);
    assert!(makefile("# only\n\techo not a recipe\n").is_empty());
    assert_eq!(texts(&makefile(".ONESHELL:\nx:\n\tcd a\n\tls")), ["cd a\nls\n"]);
}

#[test]
fn dockerfile_becomes_one_script() {
    let found = dockerfile(DOCKERFILE);
    let expected = "export NCCL_DEBUG=INFO A=\"1 2\" \\\n  B=3\nexport OLD=\"value of 训练\"\npip install a && \\\n    pip install b\necho 1\n\
        accelerate launch train.py --text '批 量' 'it'\\''s' 'a\tb'\ntorchrun x.py\n";
    assert_eq!(texts(&found), [expected]);
    let at = expected.find("批 量").expect("in the text");
    assert_eq!(found[0].to_host(TextRange::of(at..at + "批 量".len())).slice(DOCKERFILE), "批 量");
}

#[test]
fn docker_entrypoints_and_commands_join_as_docker_does() {
    let read = |text| texts(&dockerfile(text)).join("|");
    assert_eq!(read("ENTRYPOINT [\"/entrypoint.sh\"]\nCMD [\"torchrun\", \"x.py\"]\n"), "/entrypoint.sh\ntorchrun x.py\n");
    assert_eq!(read("ENTRYPOINT run a\nCMD [\"b\"]\n"), "run a\n");
    assert_eq!(read("CMD torchrun x.py \\ \n  --a 1\n"), "torchrun x.py \\\n  --a 1\n");
    assert_eq!(read("RUN python - <<'PY'\nprint(1)\nPY\nRUN ls\n"), "python - <<'PY'\nprint(1)\nPY\nls\n");
    assert_eq!(read("ENV A say \"x\"\n"), "export A=\"${_}\"\n");
    assert_eq!(read("# RUN x\nLABEL a=b\n"), "");
}

#[test]
fn workflow_steps_are_texts_of_their_own() {
    let found = workflow(WORKFLOW);
    let expected = ["echo ${_______________}\n  deep\n\ntorchrun x.py\n", "python a.py", "accelerate launch y.py\n", "make x"];
    assert_eq!(texts(&found), expected);
    let languages: Vec<Language> = found.iter().map(|embedded| embedded.language).collect();
    assert_eq!(languages, [Language::Bash, Language::PowerShell, Language::Bash, Language::Bash]);
    assert_eq!(found[0].to_host(TextRange::new(5, 23)).slice(WORKFLOW), "${{ secrets.批 }}");
}

#[test]
fn workflow_shells_come_from_the_step_then_the_file() {
    let text = "defaults:\n  run:\n    shell: pwsh\njobs:\n  a:\n    steps:\n    - run: a\n    - name: x\n      shell: bash\n      env:\n        shell: 1\n      run: |\n        b\n";
    let languages: Vec<Language> = workflow(text).iter().map(|embedded| embedded.language).collect();
    assert_eq!(languages, [Language::PowerShell, Language::Bash]);
}

#[test]
fn steps_on_windows_are_powershell() {
    let text =
        "jobs:\n  t:\n    runs-on: windows-latest\n    steps:\n      - run: |\n          if (Test-Path a) { pip install b }\n";
    assert_eq!(workflow(text)[0].language, Language::PowerShell);
    assert_eq!(workflow(&text.replace("windows", "ubuntu"))[0].language, Language::Bash);
}
