//! The server's life: connections, and the way of a request through guards and limits to its route.

use crate::actions;
use crate::error::{ApiError, Shape};
use crate::guard::Guard;
use crate::io::Patient;
use crate::life::{Life, Phase, ServerError};
use crate::loader::Loader;
use crate::models::{Models, Slot};
use crate::options::{ModelEntry, Options, WithoutKey};
use crate::params::On;
use crate::reply::{self, Reply};
use crate::request::Incoming;
use crate::routes::{self, Action};
use crate::shared::Shared;
use bytes::{Bytes, BytesMut};
use hyper::body::Body;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Bytes that one permit of the room for bodies stands for.
const ROOM: usize = 4096;
/// How long the last works may take once everything has stopped.
const LEAVE: Duration = Duration::from_secs(2);

/// A server.
pub struct Server {
    shared: Arc<Shared>,
}

/// Ends a server, from any thread.
#[derive(Clone)]
pub struct Handle(Arc<Life>);

impl Handle {
    /// Accepts nothing more, and ends once all answers under way are finished.
    pub fn drain(&self) {
        self.0.enter(Phase::Draining);
    }

    /// Ends at once; answers under way are cut off.
    pub fn stop(&self) {
        self.0.enter(Phase::Stopped);
    }
}

impl Server {
    /// A server of some models. Nothing is loaded and nobody can connect before it serves.
    pub fn new(models: Vec<ModelEntry>, options: Options) -> Result<Self, ServerError> {
        if models.is_empty() {
            return Err(ServerError::NoModel);
        }
        let sendable = |k: &String| !k.is_empty() && k.bytes().all(|b| b.is_ascii_graphic());
        if !options.keys.iter().all(sendable) {
            return Err(ServerError::Key);
        }
        let mut names: Vec<&String> = models.iter().flat_map(|m| m.aliases.iter().chain([&m.name])).collect();
        names.sort();
        if let Some(two) = names.windows(2).find(|w| w[0] == w[1]) {
            return Err(ServerError::SameName { name: two[0].clone() });
        }
        let slots = models.into_iter().map(|m| Arc::new(Slot::new(m)));
        let shared = Shared {
            models: Models(slots.collect()),
            loader: Loader::new(),
            metrics: Arc::default(),
            guard: Guard::new(&options),
            life: Arc::new(Life::new()),
            bodies: Arc::new(Semaphore::new(options.bodies / ROOM)),
            options,
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// What ends it.
    pub fn handle(&self) -> Handle {
        Handle(Arc::clone(&self.shared.life))
    }

    /// Serves on a runtime of its own until it is told to end.
    pub fn run(&self, listener: std::net::TcpListener) -> Result<(), ServerError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(8)
            .thread_name("akunu-http")
            .enable_all()
            .build()?;
        let ended = runtime.block_on(async {
            listener.set_nonblocking(true)?;
            self.serve(TcpListener::from_std(listener)?).await
        });
        runtime.shutdown_timeout(LEAVE);
        ended
    }

    /// Serves until it is told to end. Models are loaded meanwhile, on a thread of their own.
    pub async fn serve(&self, listener: TcpListener) -> Result<(), ServerError> {
        let address = listener.local_addr()?;
        let options = &self.shared.options;
        let open = options.keys.is_empty() && options.without_key == WithoutKey::ThisMachine;
        if open && !address.ip().is_loopback() {
            return Err(ServerError::Open { address });
        }
        self.load()?;
        self.accept(listener).await;
        // Engines end with their last owner, and wait for their threads.
        let slots: Vec<Arc<Slot>> = self.shared.models.0.clone();
        let _ = tokio::task::spawn_blocking(move || slots.iter().for_each(|s| s.end())).await;
        self.shared.life.take_error().map_or(Ok(()), Err)
    }

    /// Starts the thread that loads models.
    fn load(&self) -> Result<(), ServerError> {
        let shared = Arc::clone(&self.shared);
        let load = move || shared.loader.run(&shared.models, &shared.options.resident, &shared.life);
        std::thread::Builder::new().name("akunu-load".into()).spawn(load)?;
        Ok(())
    }

    /// Takes connections until the server ends, and then waits for those that are there.
    async fn accept(&self, listener: TcpListener) {
        let places = Arc::new(Semaphore::new(self.shared.options.connections));
        let mut phases = self.shared.life.watch();
        let mut tasks = JoinSet::new();
        while !self.shared.is_ending() {
            let mut changed = pin!(phases.changed());
            let accepted = poll_fn(|cx| {
                while let Poll::Ready(Some(_)) = tasks.poll_join_next(cx) {}
                match changed.as_mut().poll(cx) {
                    Poll::Ready(_) => Poll::Ready(None),
                    Poll::Pending => listener.poll_accept(cx).map(Some),
                }
            });
            match accepted.await {
                Some(Ok((stream, _))) => match Arc::clone(&places).try_acquire_owned() {
                    Ok(place) => {
                        let shared = Arc::clone(&self.shared);
                        tasks.spawn(async move {
                            connection(shared, stream).await;
                            drop(place);
                        });
                    }
                    Err(_) => turn_away(&stream),
                },
                // Too many open files, or a client that was gone at once: others may still come.
                Some(Err(_)) => sleep(Duration::from_millis(20)).await,
                None => {}
            }
        }
        drop(listener);
        while tasks.join_next().await.is_some() {}
    }
}

/// Tells a client that there are too many, without reading what it says.
fn turn_away(stream: &TcpStream) {
    const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-type: application/json\r\n\
        content-length: 107\r\n\r\n{\"error\":{\"message\":\"too many connections\",\"type\":\"server_error\",\"param\":null,\"code\":\"connections_full\"}}\n\n";
    let _ = stream.try_write(BUSY);
}

/// Serves one connection.
async fn connection(shared: Arc<Shared>, stream: TcpStream) {
    // Tokens are sent as they come.
    let _ = stream.set_nodelay(true);
    let mut phases = shared.life.watch();
    let options = &shared.options;
    let io = TokioIo::new(Patient::new(stream, options.write_timeout));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(options.head_timeout);
    builder
        .max_header_size(options.head.0)
        .max_headers(options.head.1)
        .max_buf_size(options.head.0.max(64 << 10));
    let service = service_fn(|request| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, Infallible>(handle(shared, request).await) }
    });
    let mut conn = pin!(builder.serve_connection(io, service));
    let mut phase = *phases.borrow_and_update();
    loop {
        match phase {
            Phase::Serving => {}
            Phase::Draining => conn.as_mut().graceful_shutdown(),
            Phase::Stopped => return,
        }
        let next = {
            let mut changed = pin!(phases.changed());
            poll_fn(|cx| {
                // An error is the client's: it went away, or stopped reading.
                if conn.as_mut().poll(cx).is_ready() {
                    return Poll::Ready(None);
                }
                changed.as_mut().poll(cx).map(Some)
            })
            .await
        };
        match next {
            None | Some(Err(_)) => return,
            Some(Ok(())) => phase = *phases.borrow_and_update(),
        }
    }
}

/// Answers one request. A panic on the way is its own.
async fn handle(shared: Arc<Shared>, request: Request<hyper::body::Incoming>) -> Response<Reply> {
    let found = routes::find(request.method().as_str(), request.uri().path());
    let shape = found.as_ref().map_or(Shape::OpenAi, |(route, _)| route.shape);
    let mut answer = pin!(admitted(shared, request, found));
    let answer = poll_fn(|cx| {
        let polled = catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(cx)));
        polled.unwrap_or_else(|_| {
            let e = ApiError::internal("this request met an error of the server's own; others go on");
            Poll::Ready(Err(e))
        })
    });
    let mut response = answer.await.unwrap_or_else(|e| reply::error(&e, shape));
    response.headers_mut().insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    response
}

async fn admitted(
    shared: Arc<Shared>,
    request: Request<hyper::body::Incoming>,
    found: Result<(&'static routes::Route, String), ApiError>,
) -> Result<Response<Reply>, ApiError> {
    let free = found.as_ref().is_ok_and(|(route, _)| route.action == Action::Health);
    if !free {
        shared.guard.admit(request.uri().authority().map(|a| a.as_str()), request.headers())?;
    }
    let (route, tail) = found?;
    let content_type = request.headers().get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).map(str::to_owned);
    let (body, room) = match route.method {
        "POST" => {
            let limit = shared.options.body_timeout;
            let hears = route.body.is_some_and(|on| On::AUDIO.has(on));
            let most = if hears { shared.options.audio } else { shared.options.body };
            let read = timeout(limit, read_body(&shared, request, most)).await;
            read.unwrap_or_else(|_| {
                let message = format!("the body did not come within {} seconds", limit.as_secs_f32());
                Err(ApiError::new(408, "body_timeout", message))
            })?
        }
        _ => (Bytes::new(), None),
    };
    actions::answer(route.action, Incoming { shared, tail, body, content_type, room }).await
}

/// A body within its bounds, and the room that it takes.
async fn read_body(
    shared: &Shared,
    request: Request<hyper::body::Incoming>,
    most: usize,
) -> Result<(Bytes, Option<OwnedSemaphorePermit>), ApiError> {
    let too_large = || {
        let message = format!(
            "the body has more than {most} bytes; shorten it, or start the server with a larger --max-body"
        );
        ApiError::new(413, "body_too_large", message)
    };
    let said = request.headers().get(CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse::<u64>().ok());
    if said.is_some_and(|n| n > most as u64) {
        return Err(too_large());
    }
    let mut body = request.into_body();
    let mut bytes = BytesMut::new();
    let mut room: Option<OwnedSemaphorePermit> = None;
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame =
            frame.map_err(|e| ApiError::bad("broken_body", format!("the body cannot be read: {e}")))?;
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > most {
            return Err(too_large());
        }
        let held = room.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let needed = (bytes.len() + data.len()).div_ceil(ROOM).saturating_sub(held);
        if needed > 0 {
            let more = Arc::clone(&shared.bodies).try_acquire_many_owned(needed as u32);
            let more =
                more.map_err(|_| ApiError::busy("bodies_full", "too many large requests at a time", 1))?;
            match &mut room {
                Some(room) => room.merge(more),
                None => room = Some(more),
            }
        }
        bytes.extend_from_slice(&data);
    }
    Ok((bytes.freeze(), room))
}
