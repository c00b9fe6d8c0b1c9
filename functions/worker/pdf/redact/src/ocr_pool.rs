//! Reads the pictures of pages on several threads, each picture once.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use docmill_pdf_core::memory_budget::MemoryBudget;
use docmill_pdf_ocr::Reader;
use docmill_pdf_request::{Failure, Request};
use sha2::{Digest, Sha256};

use super::needle::Needles;
use super::ocr_search::{Found, Shown};

/// Most readers, each with its own models.
const MOST_READERS: usize = 2;
/// Memory for reading in bytes per pixel, and the share of the memory limit for all readers.
const PIXEL_BYTES: u64 = 8;
const MEMORY_SHARE: u64 = 2;
/// Stack of a reader's thread, as large as that of a program.
const STACK: usize = 8 << 20;

type PictureId = [u8; 32];

/// A page to be read, with its number.
type Job = (u32, PictureId, Shown);
/// The findings on it.
type Done = (u32, PictureId, Result<Vec<Found>, Failure>);

/// Threads that read what pages show. Results are cached: a picture from one round is not read again in the next.
pub struct OcrPool<'l> {
    load: Box<dyn Fn() -> Result<Reader, Failure> + 'l>,
    readers: Vec<Reader>,
    needles: &'l Needles,
    known: HashMap<PictureId, Vec<Found>>,
}

impl std::fmt::Debug for OcrPool<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OcrPool").finish_non_exhaustive()
    }
}

impl<'l> OcrPool<'l> {
    /// `load` makes a reader. As many as are needed are kept until the end.
    pub fn new(needles: &'l Needles, load: impl Fn() -> Result<Reader, Failure> + 'l) -> Self {
        Self { load: Box::new(load), readers: Vec::new(), needles, known: HashMap::new() }
    }

    /// Finds matches on at most this many pages, which `draw` draws one after the other, by page number.
    pub(super) fn find(
        &mut self,
        request: &Request,
        pages: usize,
        draw: impl FnOnce(&mut dyn FnMut(u32, Shown)) -> Result<(), Failure>,
    ) -> Result<Vec<(u32, Vec<Found>)>, Failure> {
        let wanted = thread::available_parallelism().map_or(1, usize::from).min(MOST_READERS).min(pages);
        while self.readers.len() < wanted {
            self.readers.push((self.load)()?);
        }
        let budget = MemoryBudget::new(request.limits.memory_bytes / MEMORY_SHARE);
        let mut found = Vec::new();
        let (send, receive) = sync_channel::<Job>(0);
        let (tell, told) = channel::<Done>();
        let receive = Mutex::new(receive);
        let needles = self.needles;
        thread::scope(|scope| {
            for reader in &mut self.readers {
                let (receive, budget, tell) = (&receive, &budget, tell.clone());
                let read = move || read_all(receive, reader, needles, budget, &tell);
                thread::Builder::new()
                    .stack_size(STACK)
                    .spawn_scoped(scope, read)
                    .map_err(|error| no_thread(&error))?;
            }
            drop(tell);
            let drawn = draw(&mut |number, shown| {
                let id = Sha256::digest(&shown.picture.data).into();
                if let Some(known) = self.known.get(&id) {
                    found.push((number, known.clone()));
                    return;
                }
                budget.take(bytes(&shown));
                // Readers wait for pages until there are no more.
                drop(send.send((number, id, shown)));
            });
            drop(send);
            drawn
        })?;
        for (number, id, read) in told {
            let read = read?;
            found.push((number, read.clone()));
            self.known.insert(id, read);
        }
        Ok(found)
    }
}

fn read_all(
    receive: &Mutex<Receiver<Job>>,
    reader: &mut Reader,
    needles: &Needles,
    budget: &MemoryBudget,
    tell: &Sender<Done>,
) {
    loop {
        let received = receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, id, shown)) = received else { return };
        let taken = bytes(&shown);
        let found = shown.find(reader, needles);
        budget.give_back(taken);
        // Only fails if nobody waits for results any more.
        drop(tell.send((number, id, found)));
    }
}

fn bytes(shown: &Shown) -> u64 {
    shown.picture.data.len() as u64 * PIXEL_BYTES
}

fn no_thread(error: &std::io::Error) -> Failure {
    let cause = format!("no thread to read pages: {}", error.kind());
    Failure::internal(cause)
}
