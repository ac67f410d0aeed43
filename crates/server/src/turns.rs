//! Turns at an encoder or a model of speech, which work for one request at a time. Who waits holds no thread, and there is a bound on how many do.

use crate::error::ApiError;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Whose turn it is, in the order in which they came.
pub(crate) struct Turns {
    one: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
}

/// Counts one that waits, for as long as it does.
struct Waits<'a>(&'a AtomicUsize);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Turns {
    pub(crate) fn new() -> Self {
        Self { one: Arc::new(Semaphore::new(1)), waiting: Arc::default() }
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }

    /// Whether somebody has the turn.
    pub(crate) fn is_taken(&self) -> bool {
        self.one.available_permits() == 0
    }

    /// The turn, until it is dropped. Where `most` wait already, nobody more does.
    pub(crate) async fn take(&self, most: usize) -> Result<OwnedSemaphorePermit, ApiError> {
        if let Ok(turn) = Arc::clone(&self.one).try_acquire_owned() {
            return Ok(turn);
        }
        let before = self.waiting.fetch_add(1, Ordering::SeqCst);
        let waits = Waits(&self.waiting);
        if before >= most {
            let message = format!(
                "{most} requests wait for this model already; ask again soon, or allow a longer queue (--queue)"
            );
            return Err(ApiError { retry_after: Some(2), ..ApiError::new(429, "queue_full", message) });
        }
        let turn = Arc::clone(&self.one).acquire_owned().await;
        drop(waits);
        // Nobody closes it.
        turn.map_err(|_| ApiError::busy("ending", "the server is ending", 5))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    #[test]
    fn turns_are_taken_in_order_and_no_more_wait_than_may() {
        let turns = Turns::new();
        let mut cx = Context::from_waker(Waker::noop());
        let Poll::Ready(Ok(first)) = pin!(turns.take(2)).poll(&mut cx) else { unreachable!("it was free") };
        let (mut second, mut third) = (Box::pin(turns.take(2)), Box::pin(turns.take(2)));
        assert!(second.as_mut().poll(&mut cx).is_pending() && third.as_mut().poll(&mut cx).is_pending());
        assert_eq!((turns.waiting(), turns.is_taken()), (2, true));
        let Poll::Ready(Err(e)) = pin!(turns.take(2)).poll(&mut cx) else { unreachable!("two wait") };
        assert_eq!((e.status, e.code, e.retry_after), (429, "queue_full", Some(2)));
        assert_eq!(turns.waiting(), 2);
        // Who leaves makes room.
        drop(second);
        assert_eq!(turns.waiting(), 1);
        let mut fourth = Box::pin(turns.take(2));
        assert!(fourth.as_mut().poll(&mut cx).is_pending());
        drop(first);
        assert!(fourth.as_mut().poll(&mut cx).is_pending(), "the third came before");
        let Poll::Ready(Ok(turn)) = third.as_mut().poll(&mut cx) else { unreachable!("it is its turn") };
        drop(turn);
        assert!(fourth.as_mut().poll(&mut cx).is_ready());
        drop((third, fourth));
        assert_eq!((turns.waiting(), turns.is_taken()), (0, false));
        // A queue of nobody still has a turn.
        assert!(pin!(turns.take(0)).poll(&mut cx).is_ready());
    }
}
