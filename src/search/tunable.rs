//! How the numbers of the search are declared: once each, with the range in which a tuner may move them. They are
//! constants, but in a build with the feature `tune` they can be set like options.

/// Declares numbers as `name = default, min..=max, step;`, each of which becomes a function of that name, and `ALL`,
/// the list of them (feature `tune`). Defaults outside their range do not compile.
macro_rules! tunables {
    ($($(#[$doc:meta])* $name:ident = $default:literal, $min:literal..=$max:literal, $step:literal;)*) => {
        $(
            const _: () = assert!($min <= $default && $default <= $max && $step > 0);

            $(#[$doc])*
            #[cfg(not(feature = "tune"))]
            #[inline(always)]
            pub(super) const fn $name() -> i32 {
                $default
            }

            $(#[$doc])*
            #[cfg(feature = "tune")]
            pub(super) fn $name() -> i32 {
                cells::$name.get()
            }
        )*

        #[cfg(feature = "tune")]
        #[allow(non_upper_case_globals)]
        mod cells {
            use super::super::tunable::Tunable;

            $(pub(super) static $name: Tunable = Tunable::new(stringify!($name), $default, $min..=$max, $step);)*
        }

        /// All numbers that can be tuned.
        #[cfg(feature = "tune")]
        pub static ALL: &[&super::tunable::Tunable] = &[$(&cells::$name),*];
    };
}

pub(super) use tunables;

#[cfg(feature = "tune")]
pub use cell::Tunable;

#[cfg(feature = "tune")]
mod cell {
    use std::ops::RangeInclusive;
    use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

    /// A number that can be set while the program runs.
    #[derive(Debug)]
    pub struct Tunable {
        /// Its name as an option.
        pub name: &'static str,
        /// Its value at the start.
        pub default: i32,
        /// The values it may take.
        pub range: RangeInclusive<i32>,
        /// A change that should be felt, where a tuner ends.
        pub step: i32,
        value: AtomicI32,
    }

    impl Tunable {
        pub(in crate::search) const fn new(
            name: &'static str,
            default: i32,
            range: RangeInclusive<i32>,
            step: i32,
        ) -> Self {
            Self { name, default, range, step, value: AtomicI32::new(default) }
        }

        pub(in crate::search) fn get(&self) -> i32 {
            self.value.load(Relaxed)
        }

        /// Sets it, for searches that start later.
        pub fn set(&self, value: i32) {
            self.value.store(value, Relaxed);
        }
    }
}
