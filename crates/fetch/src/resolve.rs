use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;

use tokio::net::TcpStream;

/// What a port of this module gives back, boxed so that the port can be a trait object.
type Later<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// Looks up the addresses of a name. A fetch asks once for each connection, judges the whole answer, and dials nothing
/// but what was in it.
pub trait Resolve: Send + Sync {
    /// Every address of the name. An empty answer is refused like one with a private address.
    fn resolve<'a>(&'a self, host: &'a str) -> Later<'a, Vec<IpAddr>>;
}

/// The system's resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> Later<'a, Vec<IpAddr>> {
        Box::pin(async move {
            // With the final dot the name is complete: no search domain of this machine is ever appended to it.
            let absolute = format!("{host}.");
            let found = tokio::net::lookup_host((absolute.as_str(), 443)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Opens a TCP stream to an address that was checked. The stream's peer is compared with the address afterwards.
pub trait Dial: Send + Sync {
    /// A stream to exactly this address.
    fn dial(&self, address: SocketAddr) -> Later<'_, TcpStream>;
}

/// The system's sockets.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemDialler;

impl Dial for SystemDialler {
    fn dial(&self, address: SocketAddr) -> Later<'_, TcpStream> {
        Box::pin(TcpStream::connect(address))
    }
}
