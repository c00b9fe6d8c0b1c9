//! A running browser and its commands.

use std::collections::HashMap;
use std::io;
use std::time::{Duration, Instant};

use docmill_confine::Launcher;
use docmill_fonts::OwnFonts;
use serde_json::{Value, json};
use tokio::time::timeout_at;

use super::client::{Client, Command, Message};
use super::process::{BrowserSettings, FromBrowser, Process, ToBrowser};
use super::watch::{Broken, Watch};

const FIRST_ANSWER: Duration = Duration::from_secs(10);

/// Why communication with the browser failed.
#[derive(Debug)]
pub(super) enum Stop {
    /// The browser has exited, or its output is invalid.
    Lost(io::Error),
    /// It refused a command.
    Refused {
        method: &'static str,
        message: String,
    },
    /// The page can't be printed.
    Broken(Broken),
    TimeUp,
}

#[derive(Debug)]
pub(super) struct Browser {
    client: Client<FromBrowser, ToBrowser>,
    /// For example `156.0.8078.79`.
    pub(super) version: String,
    // Dropped last: this kills the process that the client talks to.
    process: Process,
}

/// A job's page: its session and state.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) session: String,
    pub(super) watch: Watch,
}

impl Browser {
    /// `fonts`: fonts besides the system's.
    pub(super) async fn start(settings: &BrowserSettings, launcher: &Launcher, fonts: &OwnFonts) -> Result<Self, Stop> {
        let (process, reader, writer) = Process::start(settings, launcher, fonts).await.map_err(Stop::Lost)?;
        let client = Client::new(reader, writer);
        let mut browser = Self { client, version: String::new(), process };
        browser.version = browser.ask_version(Instant::now() + FIRST_ANSWER).await?;
        Ok(browser)
    }

    /// The memory limit of its processes, if lack of memory probably ended it or its page.
    pub(super) fn lacked_memory(&self) -> Option<u64> {
        self.process.lacked_memory()
    }

    pub(super) async fn answers(&mut self, until: Instant) -> bool {
        self.ask_version(until).await.is_ok()
    }

    async fn ask_version(&mut self, until: Instant) -> Result<String, Stop> {
        let version = self.call(None, Command { method: "Browser.getVersion", params: json!({}) }, until).await?;
        let product = version["product"].as_str().unwrap_or_default();
        Ok(product.rsplit('/').next().unwrap_or_default().to_owned())
    }

    /// Sends a command to `page` or, without one, to the browser, and waits for the reply.
    pub(super) async fn call(
        &mut self,
        mut page: Option<&mut Page>,
        command: Command,
        until: Instant,
    ) -> Result<Value, Stop> {
        let session = page.as_ref().map(|page| page.session.as_str());
        let sent = self.client.send(session, &command).await.map_err(Stop::Lost)?;
        self.reply(&mut page, &command, sent, until).await
    }

    /// Sends several commands to the page and waits for all replies.
    pub(super) async fn call_all(&mut self, page: &mut Page, commands: &[Command], until: Instant) -> Result<(), Stop> {
        let mut sent = HashMap::with_capacity(commands.len());
        for command in commands {
            let id = self.client.send(Some(&page.session), command).await.map_err(Stop::Lost)?;
            sent.insert(id, command.method);
        }
        // Replies come in any order, because some come from the browser and some from the page's process.
        while !sent.is_empty() {
            if let Some((id, result)) = self.step(&mut Some(&mut *page), until).await?
                && let Some(method) = sent.remove(&id)
            {
                result.map_err(|message| Stop::Refused { method, message })?;
            }
        }
        Ok(())
    }

    async fn reply(
        &mut self,
        page: &mut Option<&mut Page>,
        command: &Command,
        sent: u64,
        until: Instant,
    ) -> Result<Value, Stop> {
        loop {
            match self.step(page, until).await? {
                // Other replies are to commands that answered the page's events.
                Some((id, result)) if id == sent => {
                    return result.map_err(|message| Stop::Refused { method: command.method, message });
                }
                Some(_) | None => {}
            }
        }
    }

    /// Receives one message from the browser: returns a reply, or handles an event of `page`.
    ///
    /// The time limit only applies between messages, so that the browser stays usable.
    pub(super) async fn step(
        &mut self,
        page: &mut Option<&mut Page>,
        until: Instant,
    ) -> Result<Option<(u64, Result<Value, String>)>, Stop> {
        let next = timeout_at(until.into(), self.client.next()).await.map_err(|_| Stop::TimeUp)?;
        let event = match next.map_err(Stop::Lost)? {
            Message::Reply { id, result } => return Ok(Some((id, result))),
            Message::Event(event) => event,
        };
        let Some(page) = page.as_mut().filter(|page| event.session.as_deref() == Some(&page.session)) else {
            return Ok(None);
        };
        if let Some(answer) = page.watch.on_event(&event) {
            self.client.send(Some(&page.session), &answer).await.map_err(Stop::Lost)?;
        }
        page.watch.broken().map_or(Ok(None), |broken| Err(Stop::Broken(broken)))
    }
}
