//! Limits the memory that the bytes of uploads take on their way to the media store.
//!
//! A bucket takes large parts, so a client that sends slowly holds megabytes for as long as it likes. All who send have
//! 512 MiB together, as large answers have their memory (`http::room`): while half of it is free an account may have
//! more, otherwise it has a share at most, which is an eighth. What a sender may come to hold is taken before the first
//! byte is read, by the length that was announced for the upload, so that nobody is refused half-way and nothing
//! depends on what the request says of itself. Whoever sends slowly is cut off while it is nearly full.

use crate::http::error::{Answer, ApiError, Code};
use crate::http::room::{NoRoom, Room, RoomPermit, share_of};
use domain::ids::AccountId;

/// KiB that the bytes of all uploads may hold together.
const MOST_KIB: usize = 512 << 10;
/// KiB that an account may hold: also one that is alone leaves half to those who come.
const MOST_KIB_ALONE: usize = MOST_KIB / 2;
/// `Retry-After` of a refusal, in seconds.
const TRY_AGAIN_S: u64 = 5;

/// The room, and who holds how much of it.
#[derive(Debug)]
pub struct UploadMemory(Room<AccountId>);

/// The memory of one sender, until this is dropped.
pub type UploadPermit = RoomPermit<AccountId>;

impl UploadMemory {
    /// Takes memory for an upload of the account, of which at most `bytes` are held at once: as much as that, or a
    /// share if that is less.
    ///
    /// # Errors
    /// `rate_limited` while the account holds a share and others may need the rest, `unavailable` while others hold it.
    pub fn hold(&self, account: AccountId, bytes: u64) -> Answer<UploadPermit> {
        let kib = usize::try_from(bytes.div_ceil(1 << 10)).unwrap_or(usize::MAX).min(share_of(MOST_KIB));
        self.0.take(account, kib).map_err(|none| match none {
            NoRoom::HasItsShare => {
                let message =
                    "The account is sending as many bytes of uploads at once as one may while others send too.";
                let refusal = ApiError::new(Code::RateLimited, message).retry_after(TRY_AGAIN_S);
                refusal.suggest("Send the bytes of fewer uploads at once.")
            }
            NoRoom::IsTaken => {
                let message = "This process is taking the bytes of as many uploads as it can hold. Send them again.";
                ApiError::new(Code::Unavailable, message).retry_after(TRY_AGAIN_S)
            }
        })
    }

    /// Returns whether others soon find none.
    pub fn is_scarce(&self) -> bool {
        self.0.is_scarce()
    }
}

impl Default for UploadMemory {
    /// A room of which all is free.
    fn default() -> Self {
        Self(Room::new(MOST_KIB, MOST_KIB_ALONE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn an_account_has_a_share_once_the_room_is_half_full_and_all_of_them_have_one_room() {
        let (memory, busy) = (UploadMemory::default(), AccountId::mint());
        let mut held: Vec<_> = (0..16).map(|_| memory.hold(busy, 16 * MIB).expect("half is free")).collect();
        let refused = memory.hold(busy, MIB).expect_err("the rest is for others");
        assert_eq!((refused.code(), refused.retry_after_seconds()), (Code::RateLimited, Some(TRY_AGAIN_S)));
        for _ in 0..4 {
            let other = AccountId::mint();
            held.extend((0..4).map(|_| memory.hold(other, 16 * MIB).expect("a share")));
            let refused = memory.hold(other, 1).expect_err("it has its share");
            assert_eq!(refused.code(), Code::RateLimited);
        }
        let refused = memory.hold(AccountId::mint(), 1).expect_err("there is none left");
        assert_eq!((refused.code(), refused.retry_after_seconds()), (Code::Unavailable, Some(TRY_AGAIN_S)));
        drop(held);
        memory.hold(busy, u64::MAX).expect("it is free again, and nobody is refused for an upload's length");
    }
}
