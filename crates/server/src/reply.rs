//! What goes back: a body in one piece, or a stream of events that are made while they are sent.

use bytes::Bytes;
use hyper::body::{Body, Frame};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use serde_json::Value;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::error::{ApiError, Shape};
use crate::stream::EventStream;

/// The body of an answer.
pub(crate) enum Reply {
    /// In one piece; `None` once it is sent.
    Whole(Option<Bytes>),
    /// Bit by bit.
    Stream(Box<EventStream>),
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Whole(bytes) => Poll::Ready(bytes.take().map(|b| Ok(Frame::data(b)))),
            Self::Stream(stream) => stream.poll(cx).map(|b| b.map(|b| Ok(Frame::data(b)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        match self {
            Self::Whole(b) => hyper::body::SizeHint::with_exact(b.as_ref().map_or(0, Bytes::len) as u64),
            Self::Stream(_) => hyper::body::SizeHint::default(),
        }
    }
}

/// An answer of text.
pub(crate) fn text(status: u16, content_type: &'static str, body: impl Into<Bytes>) -> Response<Reply> {
    let body: Bytes = body.into();
    let mut r = Response::new(Reply::Whole(Some(body).filter(|b| !b.is_empty())));
    *r.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    r.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    r
}

/// An answer of JSON.
pub(crate) fn json(status: u16, v: &Value) -> Response<Reply> {
    text(status, "application/json", v.to_string())
}

/// An error as an interface writes it.
pub(crate) fn error(e: &ApiError, shape: Shape) -> Response<Reply> {
    let mut r = json(e.status, &e.body(shape));
    if let Some(seconds) = e.retry_after {
        r.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(methods) = e.allow {
        r.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    }
    if e.status == 401 {
        let how = HeaderValue::from_static("Basic realm=\"akunu\", charset=\"UTF-8\"");
        r.headers_mut().insert(hyper::header::WWW_AUTHENTICATE, how);
    }
    r
}

/// A stream of events.
pub(crate) fn stream(events: EventStream) -> Response<Reply> {
    let content_type = events.content_type();
    let mut r = Response::new(Reply::Stream(Box::new(events)));
    r.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    r.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // A proxy that collects a stream before it passes it on defeats it.
    r.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    r
}
