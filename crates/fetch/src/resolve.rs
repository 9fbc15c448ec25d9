use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

/// Looks up the addresses of a name. A fetch asks once for each connection, judges the whole answer, and dials nothing
/// but what was in it.
pub trait Resolve: Send + Sync {
    /// Every address of the name. An empty answer is refused like one with a private address.
    fn resolve<'a>(
        &'a self,
        host: &'a str,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;
}

/// The system's resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(
        &'a self,
        host: &'a str,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>> {
        Box::pin(async move {
            // With the final dot the name is complete: no search domain of this machine is ever appended to it.
            let absolute = format!("{host}.");
            let found = tokio::net::lookup_host((absolute.as_str(), 443)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
