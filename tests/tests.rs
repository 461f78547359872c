//! The tests of Rokade that look at it from outside, as one binary.
//!
//! Most are data: a new bug is a new line below `tests/data`, whose README says where each file is from. What takes
//! longer than a few seconds is `#[ignore]`d and runs with `cargo test --release -- --ignored`.
//!
//! | Module         | What belongs there                                                                    |
//! |----------------|---------------------------------------------------------------------------------------|
//! | `architecture` | what the source and the README promise: dependencies, `unsafe`, sizes, options, files |
//! | `datagen`      | self-play data: openings, records, damage, repeatability (feature `datagen`)          |
//! | `dead`         | dead positions and who can still win                                                  |
//! | `differential` | random games and perft compared with another implementation                           |
//! | `fen`          | FEN in and out: good, bad and hostile text                                            |
//! | `legality`     | move generation a second way, `is_legal`, keys and all that is kept up step by step   |
//! | `nnue`         | inference: incremental against fresh, every kernel, symmetry, network files           |
//! | `perft`        | node counts against published ones                                                    |
//! | `referee`      | ends and claims by the Laws, move texts, game files, the commands for them            |
//! | `rules`        | what moves leave behind, how games end, repetition, fifty moves, castling             |
//! | `search`       | what a search finds and reports, limits, repeatability, the bench signature           |
//! | `see`          | static exchange evaluation                                                            |
//! | `tb`           | endgame tables: values, files, root ranking, won games (feature `syzygy`)               |
//! | `train`        | the trainer: gradients, repeatability, quantisation (feature `train`)                 |
//! | `uci_session`  | the program itself over its standard input and output, and on its command line        |
//! | `uci_table`    | what lines of input mean, and move texts                                              |
//! | `util`         | no tests: data files, boards and moves by text, random numbers                        |

mod architecture;
#[cfg(feature = "datagen")]
mod datagen;
mod dead;
mod differential;
mod fen;
mod legality;
mod nnue;
mod perft;
mod referee;
mod rules;
mod search;
mod see;
#[cfg(feature = "syzygy")]
mod tb;
#[cfg(feature = "train")]
mod train;
mod uci_session;
mod uci_table;
mod util;
