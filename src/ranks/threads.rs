//! Ranks as threads of one process, to test what ranks do without a launcher.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};

use super::{Link, Ranks};

/// What all ranks share.
#[derive(Debug)]
struct Shared {
    /// What each rank says.
    said: Mutex<Vec<Vec<u8>>>,
    barrier: Barrier,
}

/// One rank.
#[derive(Debug)]
struct Thread {
    rank: usize,
    shared: Arc<Shared>,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Mutex<Receiver<Vec<u8>>>>,
}

/// Runs `work` on so many ranks, a thread each with a pool of one thread, and returns what comes of each.
///
/// # Panics
/// When one of them does.
pub fn threads<T: Send>(size: usize, work: impl Fn(Ranks) -> T + Sync) -> Vec<T> {
    let shared = Arc::new(Shared { said: Mutex::new(vec![Vec::new(); size]), barrier: Barrier::new(size) });
    let mut to: Vec<Vec<Sender<Vec<u8>>>> = (0..size).map(|_| Vec::new()).collect();
    let mut from: Vec<Vec<Mutex<Receiver<Vec<u8>>>>> = (0..size).map(|_| Vec::new()).collect();
    for sender in &mut to {
        for receiver in &mut from {
            let (send, receive) = channel();
            sender.push(send);
            receiver.push(Mutex::new(receive));
        }
    }
    let ends = to.into_iter().zip(from).enumerate();
    let links: Vec<Thread> =
        ends.map(|(rank, (to, from))| Thread { rank, shared: Arc::clone(&shared), to, from }).collect();
    let work = &work;
    std::thread::scope(|scope| {
        let started: Vec<_> = links
            .into_iter()
            .map(|link| {
                scope.spawn(move || {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
                    pool.install(|| work(Ranks::new(link)))
                })
            })
            .collect();
        started.into_iter().map(|thread| thread.join().expect("a rank that has not panicked")).collect()
    })
}

impl Thread {
    /// Says something, and does `work` with what all have said.
    fn meet<T>(&self, bytes: &[u8], work: impl FnOnce(&[Vec<u8>]) -> T) -> T {
        self.shared.said.lock().expect("no rank has panicked")[self.rank] = bytes.to_vec();
        self.shared.barrier.wait();
        let done = work(&self.shared.said.lock().expect("no rank has panicked"));
        self.shared.barrier.wait();
        done
    }
}

impl Link for Thread {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn host(&self) -> String {
        "thread".to_owned()
    }

    fn rank_on_host(&self) -> usize {
        self.rank
    }

    fn sum(&self, values: &mut [u32]) {
        let own: Vec<u8> = bytemuck::cast_slice(values).to_vec();
        self.meet(&own, |said| {
            values.fill(0);
            for said in said {
                let more = bytemuck::pod_collect_to_vec::<u8, u32>(said);
                assert_eq!(more.len(), values.len(), "ranks add up vectors of different lengths");
                values.iter_mut().zip(more).for_each(|(value, more)| *value += more);
            }
        });
    }

    fn broadcast(&self, bytes: &mut [u8]) {
        let own = bytes.to_vec();
        self.meet(&own, |said| bytes.copy_from_slice(&said[0]));
    }

    fn gather(&self, bytes: &[u8], _: &[usize]) -> Vec<u8> {
        self.meet(bytes, <[Vec<u8>]>::concat)
    }

    fn send(&self, to: usize, bytes: &[u8]) {
        self.to[to].send(bytes.to_vec()).expect("no rank has panicked");
    }

    fn receive(&self, from: usize, bytes: &mut [u8]) {
        let received = self.from[from].lock().expect("no rank has panicked").recv();
        bytes.copy_from_slice(&received.expect("no rank has panicked"));
    }

    fn abort(&self, code: u8) -> ! {
        panic!("rank {} ends all with exit code {code}", self.rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn ranks_add_up_tell_and_send() {
        let done = threads(3, |ranks| {
            let own = ranks.rank() as u32 + 1;
            let mut values = vec![own, 10 * own];
            ranks.sum(&mut values);
            assert_eq!(values, [6, 60]);
            let said = ranks.gather(&vec![own as u8; own as usize]);
            assert_eq!(said, [vec![1], vec![2, 2], vec![3, 3, 3]]);
            assert_eq!(ranks.tell(Some(format!("from {own}"))), "from 1");
            if ranks.is_first() {
                ranks.send(2, &[7; 5]);
            } else if own == 3 {
                let mut received = [0_u8; 5];
                ranks.receive_into(0, &mut received);
                assert_eq!(received, [7; 5]);
            }
            own
        });
        assert_eq!(done, [1, 2, 3]);
    }

    #[test]
    fn all_ranks_know_which_one_could_not() {
        let errors = threads(3, |ranks| {
            assert!(ranks.agree(Ok(())).is_ok());
            let done =
                if ranks.rank() == 1 { Err(Error::setting("seed", "odd", "give another")) } else { Ok(()) };
            let error = ranks.agree(done).expect_err("one has failed");
            assert_eq!(error.exit_code(), 2);
            error.to_string()
        });
        assert_eq!(errors, ["rank 1 of 3 on thread: `seed`: odd; give another"; 3]);
    }
}
