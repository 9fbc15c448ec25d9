use std::task::Poll;

use tokio::sync::watch;

/// The other end of an [`Interrupt`]: whoever holds it can ask everybody to stop.
#[derive(Clone, Debug)]
pub struct Interrupter(watch::Sender<bool>);

/// Tells whether somebody asked to stop. What waits stops waiting; what is under way is finished.
#[derive(Clone, Debug)]
pub struct Interrupt(Vec<watch::Receiver<bool>>);

impl Interrupter {
    /// A pair that belongs together.
    pub fn pair() -> (Self, Interrupt) {
        let (sender, receiver) = watch::channel(false);
        (Self(sender), Interrupt(vec![receiver]))
    }

    /// Asks everybody to stop.
    pub fn interrupt(&self) {
        self.0.send_replace(true);
    }
}

impl Interrupt {
    /// One that never comes.
    pub fn never() -> Self {
        Self(Vec::new())
    }

    /// One that comes as soon as either does.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Whether it came.
    pub fn came(&self) -> bool {
        self.0.iter().any(|asked| *asked.borrow())
    }

    /// Waits until it comes.
    pub async fn comes(&self) {
        let mut waits: Vec<_> = self.0.iter().cloned().map(|asked| Box::pin(asked_to_stop(asked))).collect();
        std::future::poll_fn(|context| {
            let came = waits.iter_mut().any(|wait| wait.as_mut().poll(context).is_ready());
            if came { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

async fn asked_to_stop(mut asked: watch::Receiver<bool>) {
    if asked.wait_for(|asked| *asked).await.is_err() {
        // Nobody is left who could ask.
        std::future::pending::<()>().await;
    }
}
