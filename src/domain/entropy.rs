//! Randomness as a value.

/// Where randomness comes from. The production implementation asks the operating system.
pub trait Entropy: Send + Sync + 'static {
    /// Fills `buffer` with unpredictable bytes.
    fn fill(&self, buffer: &mut [u8]);
}

/// A fresh array of random bytes.
pub fn bytes<const N: usize>(entropy: &dyn Entropy) -> [u8; N] {
    let mut buffer = [0u8; N];
    entropy.fill(&mut buffer);
    buffer
}
