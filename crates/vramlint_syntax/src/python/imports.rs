//! What the names of one module were imported as.

use super::{Expr, Module, StmtKind};
use std::collections::HashMap;
use vramlint_base::Value;

/// The imported names of a module, each with its full path.
#[derive(Clone, Debug, Default)]
pub struct Imports {
    paths: HashMap<String, String>,
    stars: Vec<String>,
}

impl Imports {
    /// Collects the imports of a module, those inside of functions included; where two bind a name, the one at module level wins,
    /// then the first (the usual `try: import a` / `except ImportError: import b as a`). A name that the module itself defines as a
    /// class or function, or assigns at module level, is not an imported one (`name = None` for a missing package aside).
    pub fn of(module: &Module) -> Self {
        let mut imports = Self::default();
        let mut inner = Self::default();
        let mut own = Vec::new();
        for located in module.statements() {
            let target = if located.context.at_module_level() { &mut imports } else { &mut inner };
            match &located.stmt.kind {
                StmtKind::Import { module, alias, .. } => target.import(module, alias.as_deref()),
                StmtKind::FromImport { module, level, names } => {
                    let base = format!("{}{module}", ".".repeat(*level as usize));
                    for name in names {
                        target.import_from(&base, &name.name, name.alias.as_deref());
                    }
                }
                StmtKind::Class(class) if located.context.at_module_level() => own.push(class.name.clone()),
                StmtKind::Function(function) if located.context.at_module_level() => own.push(function.name.clone()),
                StmtKind::Assign { targets, value: Some(value), .. }
                    if located.context.at_module_level() && value.as_value() != Some(&Value::Null) =>
                {
                    own.extend(targets.iter().filter_map(Expr::as_name).map(str::to_owned));
                }
                _ => {}
            }
        }
        for (name, path) in inner.paths {
            imports.paths.entry(name).or_insert(path);
        }
        imports.stars.append(&mut inner.stars);
        for name in own {
            imports.paths.remove(&name);
        }
        imports
    }

    fn import(&mut self, module: &str, alias: Option<&str>) {
        // `import a.b` binds `a`, `import a.b as c` binds `c` to `a.b`.
        let first = module.split('.').next().unwrap_or(module);
        let (name, path) = alias.map_or((first, first), |alias| (alias, module));
        self.bind(name, path.to_owned());
    }

    fn import_from(&mut self, base: &str, name: &str, alias: Option<&str>) {
        if name == "*" {
            self.stars.push(base.to_owned());
            return;
        }
        let dot = if base.is_empty() || base.ends_with('.') { "" } else { "." };
        self.bind(alias.unwrap_or(name), format!("{base}{dot}{name}"));
    }

    fn bind(&mut self, name: &str, path: String) {
        if !name.is_empty() {
            self.paths.entry(name.to_owned()).or_insert(path);
        }
    }

    /// The full path of a local dotted name: `transformers.AutoModel.from_pretrained` for `AutoModel.from_pretrained`. Relative
    /// imports keep their dots (`.models.build`). `None` where the first part was not imported by name: it is the module's own, a
    /// builtin, or came through one of the [`Imports::stars`].
    pub fn full(&self, dotted: &str) -> Option<String> {
        let (first, rest) = dotted.split_once('.').map_or((dotted, ""), |(first, rest)| (first, rest));
        let path = self.paths.get(first)?;
        Some(if rest.is_empty() { path.clone() } else { format!("{path}.{rest}") })
    }

    /// The full path of a name or of an attribute of a name; see [`Imports::full`].
    pub fn full_of(&self, expr: &Expr) -> Option<String> {
        self.full(&expr.dotted()?)
    }

    /// Modules imported with a star: any name not bound otherwise may be theirs.
    pub fn stars(&self) -> &[String] {
        &self.stars
    }

    /// Whether the module imports anything of the package `package` (`transformers`, also for `import transformers.utils as u`).
    pub fn uses(&self, package: &str) -> bool {
        let within = |path: &str| path.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.paths.values().chain(&self.stars).any(|path| within(path))
    }

    /// Local names with their full paths, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.paths.iter().map(|(name, path)| (name.as_str(), path.as_str()))
    }
}
