//! Refuses to run on a CPU that lacks an instruction set the binary was compiled for.
//!
//! The check runs before `main`: the standard library is compiled for the same CPU when it is optimised together with
//! the engine, and even its first steps could use what is missing. For the same reason everything here is plain integer
//! work, and the message goes out through the C library.
#![cfg(all(
    any(target_arch = "x86_64", all(target_arch = "x86", target_feature = "sse")),
    any(target_os = "linux", target_os = "macos", target_os = "windows")
))]

use raw_cpuid::cpuid;

/// Called by the C library before `main`.
// SAFETY: what stands in these sections is called as a function without arguments, which this is.
#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(target_os = "windows", unsafe(link_section = ".CRT$XCU"))]
static CHECK: extern "C" fn() = check;

// SAFETY: both are functions of every C library. On Windows `_write` takes and returns 32 bits: the lengths fit, and
// the result is not used.
unsafe extern "C" {
    #[cfg_attr(target_os = "windows", link_name = "_write")]
    fn write(file: i32, text: *const u8, length: usize) -> isize;
    fn _exit(status: i32) -> !;
}

extern "C" fn check() {
    if let Some(complaint) = complaint() {
        // SAFETY: the text is as long as it says; 2 is standard error.
        unsafe {
            write(2, complaint.as_ptr(), complaint.len());
            _exit(1);
        }
    }
}

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

/// The first instruction set that the binary was compiled for and the CPU lacks, as a line of text.
///
/// The standard library cannot be asked: for what was switched on at compile time its answer is always yes.
fn complaint() -> Option<&'static str> {
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
