//! Refuses to run on a CPU that lacks an instruction set the binary was compiled for.
//!
//! Everything here is plain integer work: any wider instruction could be one of those that the CPU lacks.

/// The first instruction set that the binary was compiled for and the CPU lacks, as a line of text.
///
/// The standard library cannot be asked: for what was switched on at compile time its answer is always yes.
#[inline(never)]
pub(crate) fn complaint() -> Option<&'static str> {
    #[cfg(any(target_arch = "x86_64", all(target_arch = "x86", target_feature = "sse")))]
    return x86::complaint();
    #[cfg(not(any(target_arch = "x86_64", all(target_arch = "x86", target_feature = "sse"))))]
    return None;
}

#[cfg(any(target_arch = "x86_64", all(target_arch = "x86", target_feature = "sse")))]
mod x86 {
    use raw_cpuid::cpuid;

    /// One bit of an answer of CPUID: leaf, register, bit.
    macro_rules! has {
        ($leaf:literal $register:ident $bit:literal) => {
            $leaf <= cpuid!($leaf & 0x8000_0000_u32).eax && cpuid!($leaf).$register >> $bit & 1 == 1
        };
    }

    /// Names each instruction set as `cfg` does, with the bits that tell whether it is there.
    macro_rules! first_missing {
        ($($name:literal: $leaf:literal $register:ident $bit:literal;)*) => {
            $(
                if cfg!(target_feature = $name) && !(has!($leaf $register $bit)) {
                    return Some(concat!(
                        "rokade: this build needs a CPU with ", $name,
                        "; build it on this machine, or build the portable version (see README)\n",
                    ));
                }
            )*
            None
        };
    }

    pub(super) fn complaint() -> Option<&'static str> {
        first_missing! {
            "sse3": 1 ecx 0;
            "ssse3": 1 ecx 9;
            "sse4.1": 1 ecx 19;
            "sse4.2": 1 ecx 20;
            "popcnt": 1 ecx 23;
            "fma": 1 ecx 12;
            "movbe": 1 ecx 22;
            // For AVX and what builds on it the operating system has to save the registers, too (OSXSAVE).
            "avx": 1 ecx 27;
            "avx": 1 ecx 28;
            "f16c": 1 ecx 29;
            "lzcnt": 0x8000_0001 ecx 5;
            "bmi1": 7 ebx 3;
            "avx2": 7 ebx 5;
            "bmi2": 7 ebx 8;
            "gfni": 7 ecx 8;
            "avx512f": 7 ebx 16;
            "avx512dq": 7 ebx 17;
            "avx512ifma": 7 ebx 21;
            "avx512cd": 7 ebx 28;
            "avx512bw": 7 ebx 30;
            "avx512vl": 7 ebx 31;
            "avx512vbmi": 7 ecx 1;
            "avx512vbmi2": 7 ecx 6;
            "avx512vnni": 7 ecx 11;
            "avx512bitalg": 7 ecx 12;
            "avx512vpopcntdq": 7 ecx 14;
        }
    }
}
