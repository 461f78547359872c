//! The options of the engine: one table from which they are printed and set.

use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;
use vampirc_uci::UciOptionConfig;

use crate::search::Strength;
use crate::tb;
use crate::types::CastlingMode;

/// Size of the transposition table at the start, in MB.
pub(super) const DEFAULT_HASH: u32 = 16;
/// Search threads at the start.
pub(super) const DEFAULT_THREADS: u32 = 1;

/// What the front end has to know of the options; the rest is in the pool.
#[derive(Clone, Debug)]
pub(super) struct Options {
    /// How castling is read and written.
    pub(super) mode: CastlingMode,
    /// How many lines to show.
    pub(super) multi_pv: usize,
    /// Time that is lost between the engine and the clock.
    pub(super) move_overhead: Duration,
    /// Nodes that count as a millisecond; 0 for real time.
    pub(super) nodes_time: u32,
    /// Whether to show the chances to win, draw and lose.
    pub(super) show_wdl: bool,
    /// Size of the table in MB.
    pub(super) hash: usize,
    /// How many threads work.
    pub(super) threads: usize,
    /// How the endgame tables are used.
    pub(super) tables: tb::Settings,
    /// Whether to play below full strength.
    pub(super) limit_strength: bool,
    /// How well then.
    pub(super) elo: u32,
}

impl Default for Options {
    /// The defaults of the table.
    fn default() -> Self {
        let mut options = Self {
            mode: CastlingMode::Standard,
            multi_pv: 0,
            move_overhead: Duration::ZERO,
            nodes_time: 0,
            show_wdl: false,
            hash: 0,
            threads: 0,
            tables: tb::Settings::default(),
            limit_strength: false,
            elo: 0,
        };
        for option in TABLE {
            match option.kind {
                Kind::Check { default, apply } => apply(&mut options, default),
                // The pool starts with its defaults.
                Kind::Spin { default, apply, .. } => _ = apply(&mut options, default),
                Kind::Text { .. } | Kind::Button { .. } => {}
            }
        }
        options
    }
}

/// What an option asks of the pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PoolChange {
    /// Another table of so many MB.
    Hash(usize),
    /// So many threads.
    Threads(usize),
    /// A fresh start.
    Clear,
    /// The network of a file, or the one that is part of the program.
    Network(Option<PathBuf>),
    /// The endgame tables in these folders.
    #[cfg(feature = "syzygy")]
    Tables(String),
}

/// Why an option keeps its value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub(super) enum OptionError {
    #[error("There is no option {0}")]
    Unknown(String),
    #[error("{name} takes a number from {min} to {max}, not '{text}'")]
    NotInRange { name: &'static str, min: u32, max: u32, text: String },
    #[error("{name} takes true or false, not '{text}'")]
    NotBoolean { name: &'static str, text: String },
}

struct Declaration {
    name: &'static str,
    kind: Kind,
}

enum Kind {
    Check {
        default: bool,
        apply: fn(&mut Options, bool),
    },
    Spin {
        default: u32,
        min: u32,
        max: u32,
        apply: fn(&mut Options, u32) -> Option<PoolChange>,
    },
    /// A text, which is empty at the start.
    Text {
        apply: fn(&str) -> PoolChange,
    },
    Button {
        change: PoolChange,
    },
}

impl Declaration {
    const fn check(name: &'static str, default: bool, apply: fn(&mut Options, bool)) -> Self {
        Self { name, kind: Kind::Check { default, apply } }
    }

    const fn spin(
        name: &'static str,
        [default, min, max]: [u32; 3],
        apply: fn(&mut Options, u32) -> Option<PoolChange>,
    ) -> Self {
        Self { name, kind: Kind::Spin { default, min, max, apply } }
    }

    const fn text(name: &'static str, apply: fn(&str) -> PoolChange) -> Self {
        Self { name, kind: Kind::Text { apply } }
    }

    const fn button(name: &'static str, change: PoolChange) -> Self {
        Self { name, kind: Kind::Button { change } }
    }
}

/// All options, in the order in which they are printed.
static TABLE: &[Declaration] = &[
    Declaration::spin("Hash", [DEFAULT_HASH, 1, 1 << 20], |options, mb| {
        options.hash = mb as usize;
        Some(PoolChange::Hash(options.hash))
    }),
    Declaration::spin("Threads", [DEFAULT_THREADS, 1, 1024], |options, count| {
        options.threads = count as usize;
        Some(PoolChange::Threads(options.threads))
    }),
    Declaration::button("Clear Hash", PoolChange::Clear),
    // Only tells the user's program that it may let the engine ponder; whether it does is said with each `go`.
    Declaration::check("Ponder", false, |_, _| {}),
    Declaration::spin("MultiPV", [1, 1, 256], |options, count| {
        options.multi_pv = count as usize;
        None
    }),
    Declaration::spin("Move Overhead", [10, 0, 5000], |options, milliseconds| {
        options.move_overhead = Duration::from_millis(milliseconds.into());
        None
    }),
    Declaration::spin("nodestime", [0, 0, 1_000_000], |options, nodes| {
        options.nodes_time = nodes;
        None
    }),
    Declaration::check("UCI_Chess960", false, |options, on| {
        options.mode = if on { CastlingMode::Chess960 } else { CastlingMode::Standard };
    }),
    Declaration::check("UCI_ShowWDL", false, |options, on| options.show_wdl = on),
    Declaration::check("UCI_LimitStrength", false, |options, on| options.limit_strength = on),
    Declaration::spin("UCI_Elo", [1_500, Strength::MIN_ELO, Strength::MAX_ELO], |options, elo| {
        options.elo = elo;
        None
    }),
    Declaration::text("EvalFile", |path| PoolChange::Network((!path.is_empty()).then(|| path.into()))),
    #[cfg(feature = "syzygy")]
    Declaration::text("SyzygyPath", |path| PoolChange::Tables(path.to_owned())),
    #[cfg(feature = "syzygy")]
    Declaration::spin("SyzygyProbeDepth", [1, 1, 100], |options, depth| {
        options.tables.min_depth = depth as i32;
        None
    }),
    #[cfg(feature = "syzygy")]
    Declaration::spin("SyzygyProbeLimit", [7, 0, 7], |options, men| {
        options.tables.max_men = men;
        None
    }),
    #[cfg(feature = "syzygy")]
    Declaration::check("Syzygy50MoveRule", true, |options, on| options.tables.fifty_move_rule = on),
];

/// The options as the protocol declares them.
pub(super) fn declarations() -> impl Iterator<Item = UciOptionConfig> {
    TABLE.iter().map(|option| {
        let name = option.name.to_owned();
        match option.kind {
            Kind::Check { default, .. } => UciOptionConfig::Check { name, default: Some(default) },
            Kind::Spin { default, min, max, .. } => UciOptionConfig::Spin {
                name,
                default: Some(default.into()),
                min: Some(min.into()),
                max: Some(max.into()),
            },
            Kind::Text { .. } => UciOptionConfig::String { name, default: Some("<empty>".to_owned()) },
            Kind::Button { .. } => UciOptionConfig::Button { name },
        }
    })
}

/// The numbers of the search, declared like options.
#[cfg(feature = "tune")]
pub(super) fn tunable_declarations() -> impl Iterator<Item = UciOptionConfig> {
    crate::search::TUNABLES.iter().map(|tunable| UciOptionConfig::Spin {
        name: tunable.name.to_owned(),
        default: Some(tunable.default.into()),
        min: Some((*tunable.range.start()).into()),
        max: Some((*tunable.range.end()).into()),
    })
}

/// Sets a number of the search, if that is what is meant.
#[cfg(feature = "tune")]
fn set_tunable(name: &str, value: Option<&str>) -> Option<Result<(), OptionError>> {
    let tunable = crate::search::TUNABLES.iter().find(|tunable| is_same_name(tunable.name, name))?;
    let text = plain_value(value);
    Some(match text.parse().ok().filter(|value| tunable.range.contains(value)) {
        Some(value) => {
            tunable.set(value);
            Ok(())
        }
        None => {
            let [min, max] = [*tunable.range.start(), *tunable.range.end()].map(i32::unsigned_abs);
            Err(OptionError::NotInRange { name: tunable.name, min, max, text: text.to_owned() })
        }
    })
}

impl Options {
    /// Sets an option, whose name may be in any case. What concerns the pool is left to the caller.
    pub(super) fn set(&mut self, name: &str, value: Option<&str>) -> Result<Option<PoolChange>, OptionError> {
        #[cfg(feature = "tune")]
        if let Some(outcome) = set_tunable(name, value) {
            return outcome.map(|()| None);
        }
        let is_meant = |option: &&Declaration| is_same_name(option.name, name);
        let option = TABLE.iter().find(is_meant).ok_or_else(|| OptionError::Unknown(name.to_owned()))?;
        let (name, text) = (option.name, plain_value(value));
        match option.kind {
            Kind::Check { apply, .. } => {
                apply(self, parse_bool(text).ok_or_else(|| OptionError::NotBoolean { name, text: text.to_owned() })?);
                Ok(None)
            }
            Kind::Spin { min, max, apply, .. } => {
                let value = text.parse().ok().filter(|value| (min..=max).contains(value));
                let not_in_range = || OptionError::NotInRange { name, min, max, text: text.to_owned() };
                Ok(apply(self, value.ok_or_else(not_in_range)?))
            }
            Kind::Text { apply } => Ok(Some(apply(text))),
            Kind::Button { ref change } => Ok(Some(change.clone())),
        }
    }
}

/// Whether two names have the same words, whatever their case and blanks.
fn is_same_name(declared: &str, given: &str) -> bool {
    let mut given = given.split_whitespace();
    declared.split(' ').all(|word| given.next().is_some_and(|other| word.eq_ignore_ascii_case(other)))
        && given.next().is_none()
}

/// The value without what means nothing: blanks around it, and `<empty>` for no text.
fn plain_value(value: Option<&str>) -> &str {
    match value.map_or("", str::trim) {
        empty if empty.eq_ignore_ascii_case("<empty>") => "",
        text => text,
    }
}

fn parse_bool(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}
