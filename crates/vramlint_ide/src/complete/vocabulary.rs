//! The valid names in a file or a call.

use super::CompletionContext;
use super::catalog_item::CatalogItem;
use vramlint_catalog::Dialect;
use vramlint_catalog::classes::{self, Class};
use vramlint_catalog::flags::Launcher;
use vramlint_catalog::keys;
use vramlint_resolve::arguments::{ArgumentReader, class_name};
use vramlint_resolve::{FileKind, Project, Run, SourceFile, Syntax, kind};
use vramlint_syntax::python::{Imports, Module};

/// The valid keys of a block in a data file.
pub(super) fn block_items(cx: &CompletionContext<'_>, kind: FileKind, path: &[String], taken: &[String]) -> Vec<CatalogItem> {
    let (project, file) = (cx.project, cx.file);
    let joined = path.join(".");
    match kind {
        FileKind::Accelerate => {
            let root = file.data().and_then(vramlint_syntax::data::DataFile::root);
            let environment = root.and_then(|root| root.entry("compute_environment"));
            let cloud = environment.is_some_and(|(_, value)| value.text() == Some("AMAZON_SAGEMAKER"));
            let table = if cloud { keys::accelerate_sagemaker() } else { keys::accelerate() };
            inside(table, &joined, "accelerate")
        }
        FileKind::DeepSpeed => inside(keys::deepspeed(), &joined, "deepspeed"),
        FileKind::Other => Vec::new(),
        _ => {
            let classes = file_classes(project, file, kind);
            let found = fields(&classes);
            // A custom block holds arguments if it already contains one.
            if path.is_empty() || taken.iter().any(|key| found.iter().any(|known| known.name() == key)) {
                return found;
            }
            Vec::new()
        }
    }
}

/// The kind of a data file. If the word being typed breaks the tree, the cursor's line is left out.
pub(super) fn kind(cx: &CompletionContext<'_>) -> FileKind {
    let known = cx.project.kind(cx.file.id);
    let broken = cx.file.data().is_some_and(|data| !data.errors.is_empty());
    if known != FileKind::Other || !broken {
        return known;
    }
    let line = cx.line_start();
    let end = cx.offset + cx.rest().len();
    let (before, after) = (&cx.file.text[..line], &cx.file.text[end..]);
    let json = cx.file.is_json();
    // In JSON only the word is left out: brackets may be on the same line.
    let text = if json {
        let word = cx.line().trim_end_matches(|c: char| c.is_alphanumeric() || "_\"".contains(c)).len();
        format!("{}{}", &cx.file.text[..line + word], cx.after())
    } else {
        format!("{before}{after}")
    };
    let data = if json { vramlint_syntax::json::parse(&text) } else { vramlint_syntax::yaml::parse(&text) };
    let file = SourceFile { text: text.into(), tree: Syntax::Data(data.into()).into(), ..cx.file.clone() };
    kind::from_directive(&file).unwrap_or_else(|| kind::classify(&file)).kind
}

/// The valid keys of a DeepSpeed block, in any language.
pub(super) fn deepspeed_items(path: &[String]) -> Vec<CatalogItem> {
    inside(keys::deepspeed(), &path.join("."), "deepspeed")
}

/// The direct children of a block, including removed keys.
fn inside(table: &'static [keys::Key], block: &str, library: &'static str) -> Vec<CatalogItem> {
    let own = table.iter().filter(|key| key.path.rsplit_once('.').map_or("", |(parent, _)| parent) == block);
    own.filter(|key| !key.name().contains(['<', '['])).map(|key| CatalogItem::Key(key, library)).collect()
}

/// The fields of classes, each name once.
pub(super) fn fields(classes: &[&'static Class]) -> Vec<CatalogItem> {
    let mut seen = std::collections::HashSet::new();
    let all = classes.iter().flat_map(|class| class.fields());
    all.filter(|field| seen.insert(field.name.as_str())).map(CatalogItem::Field).collect()
}

/// The classes whose fields a file sets.
fn file_classes(project: &Project, file: &SourceFile, kind: FileKind) -> Vec<&'static Class> {
    let sets = project.arguments().iter().filter(|set| set.reader != ArgumentReader::Call);
    let read_here =
        sets.filter(|set| set.place.file == file.id || set.arguments.iter().any(|given| given.key_place.file == file.id));
    let mut names = class_names_by_kind(project, file, kind);
    // How the project reads the file is stronger evidence than its keys.
    if matches!(kind, FileKind::Framework(Dialect::HfTrainer | Dialect::Trl) | FileKind::Training) {
        let read: Vec<String> = read_here.flat_map(|set| set.classes.iter().cloned()).collect();
        names = if read.is_empty() { names } else { read };
    }
    let mut found: Vec<&'static Class> = Vec::new();
    for class in names.iter().filter_map(|name| classes::find(name)) {
        if found.iter().all(|known| known.name != class.name) {
            found.push(class);
        }
    }
    found
}

fn class_names_by_kind(project: &Project, file: &SourceFile, kind: FileKind) -> Vec<String> {
    let launched = || project.runs_of(file.id).next();
    let task = || launched().and_then(|run| run.task.clone());
    let FileKind::Framework(dialect) = kind else { return Vec::new() };
    let classes = &dialect.framework().classes;
    if dialect == Dialect::Trl {
        return trl(task().as_deref());
    }
    if classes.by_module {
        return launched().and_then(module).into_iter().collect();
    }
    let command = launched().and_then(|run| classes.of_command(run.launch.as_ref()?.script.as_ref()?.text()?));
    command.or(classes.usual).into_iter().map(str::to_owned).collect()
}

fn module(run: &Run) -> Option<String> {
    Some(run.launch.as_ref()?.module.as_ref()?.text()?.to_owned())
}

/// The classes that `trl sft` and TRL's scripts fill.
fn trl(task: Option<&str>) -> Vec<String> {
    let own = match task.unwrap_or("sft") {
        "dpo" => "trl.DPOConfig",
        "grpo" => "trl.GRPOConfig",
        "rloo" => "trl.RLOOConfig",
        "kto" => "trl.KTOConfig",
        "reward" => "trl.RewardConfig",
        _ => "trl.SFTConfig",
    };
    [own, "trl.ModelConfig", "trl.ScriptArguments"].map(str::to_owned).to_vec()
}

/// The options of a program besides those of its launcher: fields of classes, and its own options.
pub(super) fn program_options(
    project: &Project,
    file: &SourceFile,
    launcher: Launcher,
    script: &str,
) -> (Vec<CatalogItem>, Vec<String>) {
    let named: Vec<String> = match launcher.dialect {
        Some(Dialect::Trl) => trl(Some(script)),
        Some(dialect) if launcher.is_enough => {
            let classes = &dialect.framework().classes;
            classes.of_command(script).or(classes.usual).into_iter().map(str::to_owned).collect()
        }
        _ if Dialect::of_module(script).is_some_and(|dialect| dialect.classes.by_module) => vec![script.to_owned()],
        _ => Vec::new(),
    };
    let found: Vec<&'static Class> = named.iter().filter_map(|name| classes::find(name)).collect();
    if !found.is_empty() {
        return (fields(&found), Vec::new());
    }
    let Some(entry) = project.path_resolver.resolve(script, file.folder()) else { return Default::default() };
    let Some(code) = project.runs.iter().filter(|run| run.entry == Some(entry)).find_map(|run| run.code.as_ref()) else {
        return Default::default();
    };
    let filled = code.argument_classes.iter().filter_map(|class| classes::find(&class_name(&class.name)?));
    let parsed = code.parsers.iter().flat_map(|parser| &parser.classes).filter_map(|name| classes::find(&class_name(name)?));
    let mut found: Vec<&'static Class> = Vec::new();
    for class in filled.chain(parsed) {
        if found.iter().all(|known| known.name != class.name) {
            found.push(class);
        }
    }
    let own = code.options.iter().filter_map(|option| option.names.iter().find(|name| name.starts_with("--")));
    (fields(&found), own.cloned().collect())
}

/// The class or function that a call refers to.
pub(super) fn class_of_callee(module: &Module, callee: &str) -> Option<&'static Class> {
    let imports = Imports::of(module);
    class_at_path(&imports, callee).or_else(|| {
        // A subclass defined in the module.
        let (class, _) = module.classes().find(|(class, _)| class.name == callee)?;
        class.bases.iter().filter_map(vramlint_syntax::python::Expr::dotted).find_map(|base| class_at_path(&imports, &base))
    })
}

fn class_at_path(imports: &Imports, callee: &str) -> Option<&'static Class> {
    let leaf = callee.rsplit('.').next().unwrap_or(callee);
    let Some(path) = imports.full(callee) else {
        // Not imported yet: match the bare name.
        let capital = callee.starts_with(|c: char| c.is_ascii_uppercase());
        return if capital { unique_class_named(callee, leaf) } else { None };
    };
    let loads = || (leaf == "from_pretrained" && path.starts_with("transformers.Auto")).then(pretrained_loader);
    classes::find(&path).or_else(|| class_name(&path).and_then(|name| classes::find(&name))).or_else(|| loads()?).or_else(|| {
        let library = path.split('.').next()?;
        let whole = if callee.contains('.') { callee } else { leaf };
        leaf.starts_with(|c: char| c.is_ascii_uppercase()).then(|| classes::find(&format!("{library}.{whole}")))?
    })
}

/// The common `from_pretrained` of transformers models.
fn pretrained_loader() -> Option<&'static Class> {
    classes::find("transformers.PreTrainedModel.from_pretrained")
}

/// The only class with this name.
fn unique_class_named(callee: &str, leaf: &str) -> Option<&'static Class> {
    if leaf == "from_pretrained" {
        return if callee.starts_with("Auto") { pretrained_loader() } else { None };
    }
    let mut found =
        classes::tables().flat_map(|table| &table.classes).filter(|class| class.name.rsplit('.').next() == Some(callee));
    found.next().filter(|_| found.next().is_none())
}
