//! Why a training cannot be done.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::checkpoint::CheckpointError;
use super::export::ExportError;

/// Why a training ended without a network.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum TrainError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: no *.{} files in this folder", folder.display(), crate::datagen::record::SHARD_EXTENSION)]
    NoShards { folder: PathBuf },
    #[error("the data has no usable position to train on")]
    NoTraining,
    #[error("no usable position was held out: it takes more games, or a larger --held-out")]
    NoHeldOut,
    #[error("{}: {source}", path.display())]
    Checkpoint { path: PathBuf, source: CheckpointError },
    #[error("--{name} is {found}, but {expected} in the checkpoint")]
    Setting { name: &'static str, found: String, expected: String },
    #[error("the data is not that of the checkpoint")]
    OtherData,
    #[error("the training diverged: the losses are no longer numbers (try a lower --lr)")]
    Diverged,
    #[error("the network cannot be exported: {0}")]
    Export(#[from] ExportError),
    #[error("{}: the curves cannot be drawn: {reason}", path.display())]
    Plot { path: PathBuf, reason: String },
}

impl TrainError {
    /// Names the file of an error of the system.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}
