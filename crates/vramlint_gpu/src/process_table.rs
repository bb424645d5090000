//! Names and owners of processes.

use crate::machine::Process;
use std::path::PathBuf;
use sysinfo::{Pid, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

/// The processes of this machine, refreshed on demand.
#[derive(Debug)]
pub(crate) struct ProcessTable {
    /// `None` if the system does not list processes.
    system: Option<System>,
}

impl Default for ProcessTable {
    fn default() -> Self {
        Self { system: System::new().ok() }
    }
}

impl ProcessTable {
    /// Sets name and owner. `driver_name` is the name that the driver reports.
    ///
    /// In a container, the driver may report process ids of the host, which can belong to other processes here. So the driver's name
    /// takes precedence, and the owner is only set if the names agree.
    pub(crate) fn identify(&mut self, process: &mut Process, driver_name: Option<&str>) {
        let driver_name = driver_name.map(program).filter(|name| !name.is_empty());
        let Some(system) = &mut self.system else {
            process.name = driver_name;
            return;
        };
        let pid = Pid::from_u32(process.pid);
        let own = sysinfo::get_current_pid().ok();
        let asked: Vec<Pid> = std::iter::once(pid).chain(own.filter(|own| *own != pid)).collect();
        let kind = ProcessRefreshKind::nothing()
            .with_user(UpdateKind::OnlyIfNotSet)
            .with_exe(UpdateKind::OnlyIfNotSet)
            .with_cmd(UpdateKind::OnlyIfNotSet);
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&asked), true, kind);
        let seen = system.process(pid);
        let names: Vec<String> = seen.map(names).unwrap_or_default();
        let same = driver_name.as_ref().is_none_or(|driver_name| names.contains(driver_name));
        if same {
            let user = |pid: Pid| system.process(pid)?.user_id();
            process.own = own.and_then(|own| Some(user(pid)? == user(own)?));
        }
        process.name = driver_name.or_else(|| names.into_iter().next());
    }
}

/// Maximum number of ancestors of a process that are read.
const MOST_ANCESTORS: usize = 12;

/// How a process was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Its working directory, if this user may see it.
    pub directory: Option<PathBuf>,
}

/// The command lines of a process and its ancestors, nearest first. A process of another user, or one whose id may belong to another
/// process, has none.
pub fn command_lines(process: &Process) -> Vec<CommandLine> {
    let (true, Ok(mut system)) = (process.own == Some(true), System::new()) else { return Vec::new() };
    let kind = ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always).with_cwd(UpdateKind::Always);
    let mut lines = Vec::new();
    let mut next = Some(Pid::from_u32(process.pid));
    while let Some(pid) = next.filter(|_| lines.len() <= MOST_ANCESTORS) {
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, kind);
        let Some(process) = system.process(pid) else { break };
        lines.push(CommandLine {
            words: process.cmd().iter().map(|word| word.to_string_lossy().into_owned()).collect(),
            directory: process.cwd().map(PathBuf::from),
        });
        next = process.parent();
    }
    lines
}

/// Whether a process is running. True where the system does not list processes.
pub fn is_running(process: u32) -> bool {
    let Ok(mut system) = System::new() else { return true };
    let pid = Pid::from_u32(process);
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), true, ProcessRefreshKind::nothing());
    system.process(pid).is_some_and(|process| !matches!(process.status(), ProcessStatus::Zombie | ProcessStatus::Dead))
}

/// Possible names of a process: its executable and the name that started it (a link such as `python`).
fn names(process: &sysinfo::Process) -> Vec<String> {
    let exe = process.exe().map(|path| path.to_string_lossy().into_owned());
    let word = process.cmd().first().map(|word| word.to_string_lossy().into_owned());
    let name = process.name().to_string_lossy().into_owned();
    [word, exe, Some(name)].into_iter().flatten().map(|name| program(&name)).filter(|name| !name.is_empty()).collect()
}

/// The program in a path or command line (Unix or Windows), without folders and options.
fn program(line: &str) -> String {
    let line = line.split(" -").next().unwrap_or(line).trim();
    let drive = line.get(1..3).is_some_and(|drive| drive == ":\\");
    // A path may contain spaces; a bare command ends at the first one.
    let path = if line.starts_with('/') || drive { line } else { line.split_whitespace().next().unwrap_or_default() };
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Kind;

    #[test]
    fn programs_lose_their_folders() {
        assert_eq!(program("/opt/conda/bin/python3.11"), "python3.11");
        assert_eq!(program(r"C:\Program Files\App\game.exe"), "game.exe");
        assert_eq!(program("python train.py --out /x"), "python");
        assert_eq!(program("/opt/google/chrome/chrome --type=gpu-process --log=/var/log/x"), "chrome");
        assert_eq!(program("/opt/my app/run me"), "run me");
        assert_eq!(program(""), "");
    }

    #[test]
    fn this_very_process_is_our_own() {
        let mut process = Process { pid: std::process::id(), name: None, memory: None, kind: Kind::Compute, own: None };
        ProcessTable::default().identify(&mut process, None);
        assert_eq!(process.own, Some(true));
        assert!(process.name.is_some());
        let mut stranger = Process { name: None, own: None, ..process };
        ProcessTable::default().identify(&mut stranger, Some("/usr/bin/another"));
        assert_eq!((stranger.name.as_deref(), stranger.own), (Some("another"), None), "the number belongs to somebody else");
    }

    #[test]
    fn a_process_has_the_command_lines_of_its_ancestors() {
        let own = Process { pid: std::process::id(), name: None, memory: None, kind: Kind::Compute, own: Some(true) };
        let lines = command_lines(&own);
        let first = lines.first().expect("this process");
        assert_eq!(first.words, std::env::args().collect::<Vec<_>>());
        assert_eq!(first.directory, std::env::current_dir().ok());
        assert!(lines.len() > 1, "a test has a parent: {lines:?}");
        assert_eq!(command_lines(&Process { own: None, ..own }), [], "the id may belong to another process");
    }
}
