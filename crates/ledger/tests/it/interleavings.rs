//! R21 under any order of events: three processes take, stamp, send late, give back, die, while the clock is set.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use proptest::prelude::*;
use releve_ledger::{Holder, Ledger, Machine, ScriptedMachine, Stamp, Taking, Turn};
use releve_pace::HostInterval;

const TTL: Duration = Duration::from_secs(3);
const HOST: &str = "www.example.org";

#[derive(Clone, Copy, Debug)]
enum Event {
    /// Time goes by.
    Wait(u16),
    /// The clock on the wall is set by so many seconds.
    Set(i8),
    Take(usize),
    Stamp(usize),
    /// The request leaves now: at any time after its stamp that the lease allows.
    Send(usize),
    GiveBack(usize),
    Die(usize),
    /// What processes do as a rule: take, wait for the instant by a timer, stamp, and send so many milliseconds later.
    Request(usize, u16),
}

fn events(set: std::ops::Range<i8>) -> impl Strategy<Value = Vec<Event>> {
    let who = 0..3_usize;
    let event = prop_oneof![
        3 => (0..300_u16).prop_map(Event::Wait),
        2 => (300..1_500_u16).prop_map(Event::Wait),
        1 => set.prop_map(Event::Set),
        4 => who.clone().prop_map(Event::Take),
        5 => who.clone().prop_map(Event::Stamp),
        5 => who.clone().prop_map(Event::Send),
        3 => who.clone().prop_map(Event::GiveBack),
        1 => who.clone().prop_map(Event::Die),
        5 => (who, 0..400_u16).prop_map(|(who, late)| Event::Request(who, late)),
    ];
    prop::collection::vec(event, 0..120)
}

struct Process {
    ledger: Box<dyn Ledger>,
    machine: Arc<ScriptedMachine>,
    turn: Option<Turn>,
    /// Until when, in true time, a stamped request may leave.
    may_send_until: Option<i64>,
    sent_at: Option<Timestamp>,
    /// Whether the clock was set since the turn was stamped.
    set_since_stamp: bool,
}

struct World<'a> {
    open: &'a dyn Fn(Arc<dyn Machine>) -> Box<dyn Ledger>,
    boots: [&'static str; 3],
    /// Milliseconds that truly went by. Nobody in the world can read them.
    truth: i64,
    /// How far the clock on the wall is from them.
    set_by: i64,
    has_steady_clock: bool,
    pids: u32,
    dead: Vec<Holder>,
    processes: Vec<Process>,
    sent: Vec<i64>,
}

impl<'a> World<'a> {
    fn new(
        open: &'a dyn Fn(Arc<dyn Machine>) -> Box<dyn Ledger>,
        boots: [&'static str; 3],
        has_steady_clock: bool,
    ) -> Self {
        let mut world = Self {
            open,
            boots,
            truth: 1_000_000,
            set_by: 0,
            has_steady_clock,
            pids: 0,
            dead: Vec::new(),
            processes: Vec::new(),
            sent: Vec::new(),
        };
        for who in 0..3 {
            let process = world.start(who);
            world.processes.push(process);
        }
        world
    }

    fn start(&mut self, who: usize) -> Process {
        self.pids += 1;
        let machine = Arc::new(ScriptedMachine::new(self.boots[who], self.pids));
        for dead in &self.dead {
            machine.bury(dead.clone());
        }
        Process {
            ledger: (self.open)(machine.clone()),
            machine,
            turn: None,
            may_send_until: None,
            sent_at: None,
            set_since_stamp: false,
        }
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(1_772_366_400_000 + self.truth + self.set_by).unwrap()
    }

    fn happen(&mut self, event: Event) {
        let (now, truth) = (self.now(), self.truth);
        if self.has_steady_clock {
            for process in &self.processes {
                process.machine.set_since_boot(Duration::from_millis(truth.unsigned_abs()));
            }
        }
        match event {
            Event::Wait(millis) => self.truth += i64::from(millis),
            Event::Set(seconds) => {
                // Once from a stamp until the turn is given back. Set twice, and so that both together come to nothing, it
                // cannot be seen, and the time at which the request left, read off in between, is believed.
                let seen = |process: &Process| process.turn.is_some() && process.set_since_stamp;
                if !self.processes.iter().any(seen) {
                    self.set_by += i64::from(seconds) * 1_000;
                    for process in &mut self.processes {
                        process.set_since_stamp = true;
                    }
                }
            }
            Event::Take(who) => {
                let process = &mut self.processes[who];
                if process.turn.is_none()
                    && let Taking::Taken(turn) =
                        process.ledger.take_turn(HOST, HostInterval::default(), now, TTL).unwrap()
                {
                    process.turn = Some(turn);
                }
            }
            Event::Stamp(who) => {
                let process = &mut self.processes[who];
                if let Some(turn) = &process.turn {
                    match process.ledger.stamp(turn, now, TTL).unwrap() {
                        Stamp::Send => {
                            process.may_send_until = Some(truth + 3_000);
                            process.set_since_stamp = false;
                        }
                        Stamp::Wait { .. } => {}
                        Stamp::Lost => process.may_send_until = None,
                    }
                }
            }
            Event::Send(who) => {
                let process = &mut self.processes[who];
                if process.may_send_until.take().is_some_and(|until| truth < until) {
                    process.sent_at = Some(now);
                    self.sent.push(truth);
                }
            }
            Event::GiveBack(who) => {
                let process = &mut self.processes[who];
                if let Some(turn) = process.turn.take() {
                    process.may_send_until = None;
                    process.ledger.give_back(&turn, process.sent_at.take(), now).unwrap();
                }
            }
            Event::Request(who, late) => {
                self.happen(Event::Take(who));
                if let Some(turn) = &self.processes[who].turn {
                    let wait = turn.not_before().duration_since(now).as_millis();
                    self.truth += i64::try_from(wait).unwrap().max(0);
                    self.happen(Event::Stamp(who));
                    self.happen(Event::Wait(late));
                    self.happen(Event::Send(who));
                }
            }
            Event::Die(who) => {
                let dead = self.processes[who].machine.holder();
                self.dead.push(dead.clone());
                self.processes[who] = self.start(who);
                for process in &self.processes {
                    process.machine.bury(dead.clone());
                }
            }
        }
    }

    /// Lets it all happen and returns the shortest time between two requests.
    fn live(&mut self, events: &[Event]) -> i64 {
        for event in events {
            self.happen(*event);
        }
        self.sent.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap_or(i64::MAX)
    }
}

/// Three processes on one machine with a clock since boot; the clock on the wall is set forward and back.
fn on_one_machine(open: &dyn Fn(Arc<dyn Machine>) -> Box<dyn Ledger>, events: &[Event]) -> i64 {
    World::new(open, ["boot-1"; 3], true).live(events)
}

/// Three that see nothing of each other but the ledger, and no clock but the one on the wall, which is set back.
fn apart(open: &dyn Fn(Arc<dyn Machine>) -> Box<dyn Ledger>, events: &[Event]) -> i64 {
    World::new(open, ["boot-1", "boot-2", "boot-3"], false).live(events)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn r21_no_interleaving_on_one_machine_comes_closer_than_a_second(events in events(-100..100)) {
        let open = super::in_memory();
        prop_assert!(on_one_machine(&|machine| open(machine), &events) >= 1_000);
    }

    #[test]
    fn r21_no_interleaving_of_machines_apart_comes_closer_than_a_second(events in events(-100..0)) {
        let open = super::in_memory();
        prop_assert!(apart(&|machine| open(machine), &events) >= 1_000);
    }
}

proptest! {
    // Fewer: each opens a file three times and more.
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn r21_no_interleaving_in_a_file_comes_closer_than_a_second(events in events(-100..100)) {
        let open = super::in_a_file();
        prop_assert!(on_one_machine(&|machine| open(machine), &events) >= 1_000);
    }

    #[test]
    fn r21_no_interleaving_apart_in_a_file_comes_closer_than_a_second(events in events(-100..0)) {
        let open = super::in_a_file();
        prop_assert!(apart(&|machine| open(machine), &events) >= 1_000);
    }
}
