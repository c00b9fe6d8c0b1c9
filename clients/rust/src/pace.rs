//! Keeps requests within a key's rate limits, as the API's headers publish them.

use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::Method;
use reqwest::header::HeaderMap;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Requests that create something, by the ends of their paths.
const CREATES: [&str; 6] = ["/jobs", "/batches", "/uploads", "/fonts", "/templates", "/webhooks/test"];

/// The two rate limits of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    Create,
    Read,
}

impl Policy {
    /// The limit that a request counts towards.
    fn of(method: &Method, path: &str) -> Self {
        let creates = CREATES.iter().any(|end| path.ends_with(end)) || path.contains("/v1/convert/");
        if *method == Method::POST && creates { Self::Create } else { Self::Read }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Read => "read",
        }
    }
}

/// Requests that may be sent before the service has told its limits.
const FIRST_TOKENS: f64 = 5.0;
const FIRST_RATE: f64 = 2.0;

/// Both limits.
#[derive(Debug)]
pub(crate) struct Pace {
    create: Gate,
    read: Gate,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Self { create: Gate::new(Policy::Create), read: Gate::new(Policy::Read) }
    }

    /// What a request has to pass.
    pub(crate) fn gate(&self, method: &Method, path: &str) -> &Gate {
        match Policy::of(method, path) {
            Policy::Create => &self.create,
            Policy::Read => &self.read,
        }
    }
}

/// A bucket of tokens that each answer corrects.
#[derive(Debug)]
pub(crate) struct Gate {
    policy: Policy,
    state: Mutex<State>,
    /// Wakes those who wait for tokens that an answer has just brought.
    learned: Notify,
}

#[derive(Debug)]
struct State {
    tokens: f64,
    /// Tokens per second.
    rate: f64,
    at: Instant,
    /// The requests so far.
    sent: u32,
    /// After a 429, nothing is sent until then.
    closed_until: Option<Instant>,
}

/// The place of a request among those that were sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass(u32);

impl Gate {
    fn new(policy: Policy) -> Self {
        let state = State { tokens: FIRST_TOKENS, rate: FIRST_RATE, at: Instant::now(), sent: 0, closed_until: None };
        Self { policy, state: Mutex::new(state), learned: Notify::new() }
    }

    /// A panic while the lock is held leaves numbers that the next answer corrects.
    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until a request may be sent.
    pub(crate) async fn pass(&self) -> Pass {
        loop {
            // Registered before the look at the tokens, so that no answer in between is missed.
            let mut learned = pin!(self.learned.notified());
            learned.as_mut().enable();
            let now = Instant::now();
            match self.with(|state| state.take(now)) {
                Ok(pass) => return pass,
                Err(pause) => drop(tokio::time::timeout(pause, learned).await),
            }
        }
    }

    /// Learns what the answer to a request says: `RateLimit-Policy: "create";q=120;w=60` and `RateLimit: "create";r=29;t=1`.
    pub(crate) fn learn(&self, pass: Pass, headers: &HeaderMap) {
        let parameters = |name: &str| {
            let text = headers.get(name)?.to_str().ok()?;
            text.split(',').find(|part| part.trim_start().starts_with(&format!("\"{}\"", self.policy.name())))
        };
        let rate =
            parameters("ratelimit-policy").and_then(|text| Some(number(text, "q")? / number(text, "w")?.max(1.0)));
        let left = parameters("ratelimit").and_then(|text| number(text, "r"));
        self.with(|state| {
            if let Some(rate) = rate.filter(|rate| *rate > 0.0) {
                state.rate = rate;
            }
            if let Some(left) = left {
                // Later requests are not counted in it, whichever answer comes first.
                state.tokens = (left - f64::from(state.sent.wrapping_sub(pass.0))).max(0.0);
                state.at = Instant::now();
            }
        });
        self.learned.notify_waiters();
    }

    /// Sends nothing for a while.
    pub(crate) fn close(&self, pause: Duration) {
        self.with(|state| {
            state.tokens = 0.0;
            let until = Instant::now() + pause;
            state.closed_until = Some(state.closed_until.map_or(until, |earlier| earlier.max(until)));
        });
    }
}

impl State {
    /// Takes a token, or says how long to wait for one.
    fn take(&mut self, now: Instant) -> Result<Pass, Duration> {
        if let Some(until) = self.closed_until {
            if until > now {
                return Err(until - now);
            }
            // One request shows whether the limit has recovered.
            (self.closed_until, self.tokens) = (None, 1.0);
            self.at = now;
        }
        self.tokens += now.duration_since(self.at).as_secs_f64() * self.rate;
        self.at = now;
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            self.sent = self.sent.wrapping_add(1);
            return Ok(Pass(self.sent));
        }
        let seconds = (1.0 - self.tokens) / self.rate;
        Err(Duration::from_secs_f64(seconds.clamp(0.001, 60.0)))
    }
}

/// A parameter of a structured field, such as `q` in `"create";q=120;w=60`.
fn number(text: &str, name: &str) -> Option<f64> {
    let value = text.split(';').find_map(|part| part.trim().strip_prefix(name)?.strip_prefix('='))?;
    value.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn only_what_creates_counts_as_such() {
        let policy = |method, path| Policy::of(&method, path);
        for path in ["/v1/jobs", "/stage/v1/tools/merge-pdf/jobs", "/v1/convert/html-to-pdf", "/v1/webhooks/test"] {
            assert_eq!(policy(Method::POST, path), Policy::Create, "{path}");
            assert_eq!(policy(Method::GET, path), Policy::Read, "{path}");
        }
        assert_eq!(policy(Method::POST, "/v1/jobs/1/cancel"), Policy::Read);
    }

    fn headers(left: u32) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("ratelimit-policy", "\"create\";q=120;w=60".parse().unwrap());
        headers.insert("ratelimit", format!("\"create\";r={left};t=1").parse().unwrap());
        headers
    }

    /// The requests that pass from now on, in steps of a millisecond.
    fn passing(gate: &Gate, from: Instant, time: Duration) -> u32 {
        let steps = 0..=u64::try_from(time.as_millis()).unwrap();
        let mut count = 0;
        for now in steps.map(|millis| from + Duration::from_millis(millis)) {
            while gate.with(|state| state.take(now)).is_ok() {
                count += 1;
            }
        }
        count
    }

    #[tokio::test]
    async fn requests_follow_the_published_rate() {
        let gate = Gate::new(Policy::Create);
        let pass = gate.pass().await;
        gate.learn(pass, &headers(29));
        let now = gate.with(|state| state.at);
        // 29 at once, and two per second.
        assert_eq!(passing(&gate, now, Duration::ZERO), 29);
        let count = passing(&gate, now, Duration::from_secs(10));
        assert!((19..=20).contains(&count), "{count}");
    }

    #[tokio::test]
    async fn nothing_is_sent_while_the_limit_recovers() {
        let gate = Gate::new(Policy::Create);
        gate.learn(gate.pass().await, &headers(20));
        gate.close(Duration::from_secs(7));
        let until = gate.with(|state| state.closed_until).unwrap();
        assert_eq!(passing(&gate, until - Duration::from_secs(6), Duration::from_millis(5_999)), 0);
        assert_eq!(passing(&gate, until, Duration::ZERO), 1, "one request tries");
    }

    #[tokio::test]
    async fn headers_of_the_other_limit_change_nothing() {
        let gate = Gate::new(Policy::Read);
        let pass = gate.pass().await;
        gate.learn(pass, &headers(1000));
        let now = gate.with(|state| state.at);
        assert_eq!(passing(&gate, now, Duration::ZERO), 4);
    }

    #[tokio::test]
    async fn only_later_requests_are_missing_in_an_answer() {
        let gate = Gate::new(Policy::Create);
        let (first, second, _third) = (gate.pass().await, gate.pass().await, gate.pass().await);
        for (pass, left) in [(second, 18), (first, 19)] {
            gate.learn(pass, &headers(left));
            assert_eq!(gate.with(|state| state.tokens), 17.0);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_wakes_those_who_wait() {
        let gate = Gate::new(Policy::Create);
        let mut pass = gate.pass().await;
        for _ in 1..5 {
            pass = gate.pass().await;
        }
        let started = Instant::now();
        let (_, ()) = tokio::join!(gate.pass(), async { gate.learn(pass, &headers(10)) });
        assert_eq!(started.elapsed(), Duration::ZERO);
    }
}
