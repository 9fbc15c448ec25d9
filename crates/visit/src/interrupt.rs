use tokio::sync::watch;

/// The other end of an [`Interrupt`]: whoever holds it can ask everybody to stop.
#[derive(Clone, Debug)]
pub struct Interrupter(watch::Sender<bool>);

/// Tells whether the process was asked to stop. What waits stops waiting; what is under way is finished.
#[derive(Clone, Debug)]
pub struct Interrupt(watch::Receiver<bool>);

impl Interrupter {
    /// A pair that belongs together.
    pub fn pair() -> (Self, Interrupt) {
        let (sender, receiver) = watch::channel(false);
        (Self(sender), Interrupt(receiver))
    }

    /// Asks everybody to stop.
    pub fn interrupt(&self) {
        self.0.send_replace(true);
    }
}

impl Interrupt {
    /// One that never comes.
    pub fn never() -> Self {
        Interrupter::pair().1
    }

    /// Whether it came.
    pub fn came(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it comes.
    pub async fn comes(&self) {
        let mut receiver = self.0.clone();
        if receiver.wait_for(|asked| *asked).await.is_err() {
            // Nobody is left who could ask.
            std::future::pending::<()>().await;
        }
    }
}
