//! The stills of moments. They are made in order, where it is possible together with the page that text is read from.

use super::MostStills;
use super::moments::Moment;
use super::pages::Part;
use crate::readers::decode::{page, still, still_and_page};
use crate::readers::{JobCtx, MediaSource, ReadError};
use std::time::Duration;
use tokio::time::Instant;

/// Makes a still of each moment, up to the limits. A moment whose picture can't be decoded gets none.
pub(super) struct Stills<'a> {
    moments: &'a [Moment],
    most: MostStills,
    media: &'a MediaSource,
    ctx: &'a JobCtx,
    /// The number of moments that were tried, from the first.
    tried: usize,
    /// The bytes of those that were made.
    bytes: usize,
    /// The JPEGs, each with its moment's place in the list.
    made: Vec<(usize, Vec<u8>)>,
}

/// The stills of a video.
pub(super) struct MadeStills {
    /// The number of moments that were tried, from the first.
    pub(super) tried: usize,
    /// The JPEGs, each with its moment's place in the list.
    pub(super) made: Vec<(usize, Vec<u8>)>,
}

impl<'a> Stills<'a> {
    pub(super) fn new(moments: &'a [Moment], most: MostStills, media: &'a MediaSource, ctx: &'a JobCtx) -> Self {
        Self { moments, most, media, ctx, tried: 0, bytes: 0, made: Vec::new() }
    }

    /// Returns the moment whose still is the next to be made.
    fn upcoming(&self) -> Option<&'a Moment> {
        let may = self.tried < self.most.moments && self.bytes < self.most.bytes;
        self.moments.get(self.tried).filter(|_| may)
    }

    /// Returns the moment of this part, where its still is the next to be made.
    fn upcoming_of(&self, part: &Part<'_>) -> Option<&'a Moment> {
        self.upcoming().filter(|moment| moment.id == part.moment.id)
    }

    fn take(&mut self, jpeg: Option<Vec<u8>>) {
        if let Some(jpeg) = jpeg {
            self.bytes += jpeg.len();
            self.made.push((self.tried, jpeg));
        }
        self.tried += 1;
    }

    /// Makes the still of the moment that begins with this part, where it shows another second than the part's page.
    /// Returns the time that it took, which is not the text's.
    pub(super) async fn alone(&mut self, part: &Part<'_>) -> Result<Duration, ReadError> {
        let began = Instant::now();
        if let Some(moment) = self.upcoming_of(part).filter(|_| !part.shows_still()) {
            let jpeg = still(self.media, moment.still_second(), self.ctx).await?;
            self.take(jpeg);
        }
        Ok(began.elapsed())
    }

    /// Returns the page of this part, none where there is no picture. Makes the still of its moment too, where that is
    /// the next and shows the same second. Parts come in their order.
    pub(super) async fn page(&mut self, part: &Part<'_>) -> Result<Option<Vec<u8>>, ReadError> {
        if part.shows_still() && self.upcoming_of(part).is_some() {
            let both = still_and_page(self.media, part.second(), self.ctx).await?;
            self.take(both.still);
            return Ok(both.page);
        }
        page(self.media, part.second(), self.ctx).await
    }

    /// Makes those that are left, and returns all.
    pub(super) async fn finish(mut self) -> Result<MadeStills, ReadError> {
        let count = self.moments.len().min(self.most.moments);
        while let Some(moment) = self.upcoming() {
            self.ctx.progress.reach_part(self.tried as u64, count as u64);
            let jpeg = still(self.media, moment.still_second(), self.ctx).await?;
            self.take(jpeg);
        }
        Ok(MadeStills { tried: self.tried, made: self.made })
    }
}
