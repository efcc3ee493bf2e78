//! What the children of a test took of memory, for the tests that bound it.

/// The most memory that a child of this process has had, in KiB, or this process when it made one, if that was more:
/// what is below that, a child may use unseen.
#[expect(unsafe_code, reason = "the standard library does not tell what children have used")]
pub fn largest_child_kib() -> i64 {
    // SAFETY: `rusage` is plain numbers, for which zeros are valid, and it outlives the call that fills it.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage), 0);
        usage.ru_maxrss
    }
}
