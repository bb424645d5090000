//! Imports.

use super::interpreter::Interpreter;
use super::modules::{self, ImportTarget};
use super::sources;
use super::value::{AbstractValue, ValueKind, ValueSource};
use vramlint_base::FileId;
use vramlint_syntax::python::ImportedName;

impl Interpreter<'_> {
    /// `import a.b.c` binds `a`; `import a.b.c as d` binds `c`.
    pub(super) fn import(&mut self, module: &str, alias: Option<&str>, scope: usize) {
        let from = self.path_of(scope);
        let head = module.split('.').next().unwrap_or(module);
        self.record_import(module);
        self.load_packages(module, 0, &from);
        let found = self.modules.find(module, 0, &from);
        if let Some(ImportTarget::File(file)) = &found {
            self.load_module(*file);
        }
        let (name, val) = match alias {
            Some(alias) => (alias, found.map_or_else(|| external(module), module_value)),
            None => (head, self.modules.find(head, 0, &from).map_or_else(|| external(head), module_value)),
        };
        if alias.is_none()
            && let Some(file) =
                val.single().and_then(|alt| if let ValueKind::Module(file) = alt.kind { Some(file) } else { None })
        {
            self.load_module(file);
        }
        self.scopes.set(scope, name, val);
    }

    /// Runs the packages of a module, outermost first.
    fn load_packages(&mut self, module: &str, level: u32, from: &str) {
        for (end, _) in module.match_indices('.') {
            if let Some(ImportTarget::File(file)) = self.modules.find(&module[..end], level, from) {
                self.load_module(file);
            }
        }
    }

    /// `from a.b import c as d`, also relative, also `*`.
    pub(super) fn import_from(&mut self, module: &str, level: u32, names: &[ImportedName], scope: usize) {
        let from = self.path_of(scope);
        self.load_packages(module, level, &from);
        let found = self.modules.find(module, level, &from);
        self.record_import(module);
        if let Some(ImportTarget::File(file)) = &found {
            self.load_module(*file);
        }
        for imported in names {
            if imported.name == "*" {
                self.import_star(found.as_ref(), module, scope);
                continue;
            }
            let val = match &found {
                Some(found) => self.member(found, &imported.name),
                None if level == 0 => external(&format!("{module}.{}", imported.name)),
                None => AbstractValue::unknown(),
            };
            self.scopes.set(scope, imported.alias.as_ref().unwrap_or(&imported.name), val);
        }
    }

    fn import_star(&mut self, found: Option<&ImportTarget>, module: &str, scope: usize) {
        match found {
            Some(ImportTarget::File(file)) => {
                let Some(source) = self.module_scopes.get(file).copied() else { return };
                let vars: Vec<(String, AbstractValue)> = self.scopes[source]
                    .vars
                    .iter()
                    .filter(|(name, _)| !name.starts_with('_'))
                    .map(|(name, val)| (name.clone(), val.clone()))
                    .collect();
                let stars = self.scopes[source].star_imports.clone();
                self.scopes[scope].star_imports.extend(stars);
                for (name, val) in vars {
                    self.scopes.set(scope, &name, val);
                }
            }
            Some(ImportTarget::Folder(_)) => {}
            None => self.scopes[scope].star_imports.push(module.to_string()),
        }
    }

    /// The member of a module or package: a name that it binds, otherwise the module of that name in its folder.
    pub(super) fn member(&mut self, found: &ImportTarget, name: &str) -> AbstractValue {
        let folder = match found {
            ImportTarget::File(file) => {
                if let Some(scope) = self.load_module(*file)
                    && let Some(val) = self.scopes[scope].vars.get(name)
                {
                    return val.clone();
                }
                let Some(source) = self.sources.file(*file) else { return AbstractValue::unknown() };
                if source.name() != "__init__.py" {
                    return self.starred(*file, name);
                }
                modules::normalize_path(source.folder())
            }
            ImportTarget::Folder(folder) => folder.clone(),
        };
        match self.modules.module_at(&modules::join_path(&folder, name)) {
            Some(inner) => {
                if let ImportTarget::File(file) = inner {
                    self.load_module(file);
                }
                module_value(inner)
            }
            None => match found {
                ImportTarget::File(file) => self.starred(*file, name),
                ImportTarget::Folder(_) => AbstractValue::unknown(),
            },
        }
    }

    /// A name that a module may import from a library by `import *`.
    fn starred(&self, file: FileId, name: &str) -> AbstractValue {
        let stars = self.module_scopes.get(&file).map(|scope| self.scopes[*scope].star_imports.as_slice());
        match stars {
            Some([module]) => external(&format!("{module}.{name}")),
            Some([_, _, ..]) => external(&format!("?.{name}")),
            _ => AbstractValue::unknown(),
        }
    }

    fn path_of(&self, scope: usize) -> String {
        self.sources.file(self.scopes[scope].file).map_or(String::new(), |file| file.path.clone())
    }
}

fn external(path: &str) -> AbstractValue {
    AbstractValue::new(ValueKind::External(path.into()), ValueSource::default())
}

fn module_value(found: ImportTarget) -> AbstractValue {
    match found {
        ImportTarget::File(file) => AbstractValue::located(ValueKind::Module(file), sources::start_of(file)),
        ImportTarget::Folder(folder) => AbstractValue::new(ValueKind::Folder(folder.into()), ValueSource::default()),
    }
}
