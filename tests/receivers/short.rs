// With the crate `mws-signature`, the folder `signature` of this repository.
pub fn verify(header: &str, body: &[u8], secret: &str, now: i64) -> bool {
    mws_signature::verify(header, body, &[secret], now, 300).is_ok()
}
