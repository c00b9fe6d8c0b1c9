//! An SDK interceptor that counts calls and injects faults.

use std::collections::VecDeque;
use std::net::TcpListener;
use std::sync::{Arc, LazyLock, Mutex};

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::{
    BeforeDeserializationInterceptorContextMut, BeforeDeserializationInterceptorContextRef,
    BeforeTransmitInterceptorContextMut,
};
use aws_smithy_runtime_api::client::interceptors::{Intercept, SharedInterceptor};
use aws_smithy_runtime_api::client::orchestrator::Metadata;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_runtime_api::http::{Response, StatusCode};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::{ConfigBag, Storable, StoreReplace};
use serde_json::{Value, json};

/// A fault for one attempt of an operation, or for all attempts from one on.
#[derive(Clone, Debug)]
pub struct Fault {
    operation: String,
    when: When,
    status: u16,
    body: String,
    /// How many attempts of the operation succeed before the fault.
    skip: usize,
    lasting: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// The request never takes effect.
    InsteadOf,
    /// Nothing listens.
    NoConnection,
    /// The connection is accepted, but no response comes.
    Silence,
    /// The request takes effect, but its response is lost.
    After,
    /// The process dies before the request is sent.
    CrashBefore,
    /// The process dies when the response arrives.
    CrashAfter,
}

/// The system accepts connections to it, but nothing reads from them.
static SILENT: LazyLock<TcpListener> = LazyLock::new(|| TcpListener::bind("127.0.0.1:0").expect("a port is free"));

/// The payload for unwinding from a crash. It is not a panic, so nothing is printed.
#[derive(Debug)]
pub struct Crash;

impl Fault {
    fn new(operation: &str, when: When, status: u16, body: impl Into<String>) -> Self {
        Self { operation: operation.to_owned(), when, status, body: body.into(), skip: 0, lasting: false }
    }

    /// The service returns this without any effect.
    pub fn instead_of(operation: &str, status: u16, body: impl Into<String>) -> Self {
        Self::new(operation, When::InsteadOf, status, body)
    }

    /// The request takes effect, but the response is a 500.
    pub fn lost_answer(operation: &str) -> Self {
        Self::new(operation, When::After, 500, error("InternalServerError"))
    }

    pub fn down(operation: &str) -> Self {
        Self::instead_of(operation, 503, error("ServiceUnavailable"))
    }

    /// The service throttles the request, in its protocol's form.
    pub fn throttled(operation: &str) -> Self {
        if operation.contains("Object") {
            Self::instead_of(operation, 503, "<Error><Code>SlowDown</Code><Message>injected</Message></Error>")
        } else {
            Self::instead_of(operation, 400, error("ThrottlingException"))
        }
    }

    pub fn no_connection(operation: &str) -> Self {
        Self::new(operation, When::NoConnection, 0, "")
    }

    pub fn no_answer(operation: &str) -> Self {
        Self::new(operation, When::Silence, 0, "")
    }

    /// A permission is missing, in S3's form.
    pub fn forbidden(operation: &str) -> Self {
        Self::instead_of(operation, 403, "<Error><Code>AccessDenied</Code><Message>injected</Message></Error>")
    }

    pub fn crash_before(operation: &str) -> Self {
        Self::new(operation, When::CrashBefore, 0, "")
    }

    pub fn crash_after(operation: &str) -> Self {
        Self::new(operation, When::CrashAfter, 0, "")
    }

    /// The same from the operation's `nth` attempt (0 is the first).
    pub fn at(self, nth: usize) -> Self {
        Self { skip: nth, ..self }
    }

    /// The same for every attempt until `Watch::heal`.
    pub fn lasting(self) -> Self {
        Self { lasting: true, ..self }
    }

    /// A transaction that conflicts with another one: a reason for each of its parts.
    pub fn transaction_conflict(parts: usize) -> Self {
        let reasons = vec![r#"{"Code":"TransactionConflict","Message":"Transaction is ongoing for the item"}"#; parts];
        let body = format!(
            r#"{{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","CancellationReasons":[{}]}}"#,
            reasons.join(",")
        );
        Self::instead_of("TransactWriteItems", 400, body)
    }

    pub fn transaction_in_progress() -> Self {
        Self::instead_of("TransactWriteItems", 400, error("TransactionInProgressException"))
    }
}

fn error(code: &str) -> String {
    format!(r#"{{"__type":"com.amazonaws.dynamodb.v20120810#{code}","message":"injected"}}"#)
}

/// Sees every attempt of every call of its clients.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    calls: Arc<Mutex<Vec<String>>>,
    faults: Arc<Mutex<VecDeque<Fault>>>,
    /// Lasting faults that were met.
    outages: Arc<Mutex<Vec<Fault>>>,
    /// The longest chain of calls that waited for each other.
    chain: Arc<Mutex<usize>>,
    /// The trace header of the invocation that makes the calls.
    trace: Arc<Mutex<Option<String>>>,
}

/// The position of a call in the longest chain of calls that waited for each other.
#[derive(Clone, Copy, Debug)]
struct Place(usize);

impl Storable for Place {
    type Storer = StoreReplace<Self>;
}

impl Watch {
    pub fn interceptor(&self) -> SharedInterceptor {
        SharedInterceptor::new(self.clone())
    }

    /// The operations since the last call of this, each attempt separately.
    pub fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    /// The longest chain of calls, each sent after the response to the one before, since the last call of this. Parallel calls
    /// count once.
    pub fn take_chain(&self) -> usize {
        std::mem::take(&mut self.chain.lock().unwrap())
    }

    /// From now on, messages carry this trace header: in a function, the SDK sends it with each request, and SQS keeps it with the
    /// message.
    pub fn trace(&self, header: String) {
        *self.trace.lock().unwrap() = Some(header);
    }

    /// How often an operation was sent since `take_calls`.
    pub fn count(&self, operation: &str) -> usize {
        self.calls.lock().unwrap().iter().filter(|call| *call == operation).count()
    }

    /// The next attempts of the faults' operations get these faults in order.
    pub fn inject(&self, faults: impl IntoIterator<Item = Fault>) {
        self.faults.lock().unwrap().extend(faults);
    }

    /// The number of injected faults that were not met.
    pub fn unmet_faults(&self) -> usize {
        self.faults.lock().unwrap().len()
    }

    /// Forgets all faults.
    pub fn clear(&self) {
        self.faults.lock().unwrap().clear();
        self.heal();
    }

    /// Ends the lasting faults that were met.
    pub fn heal(&self) {
        self.outages.lock().unwrap().clear();
    }

    fn next_fault(&self, operation: &str) -> Option<Fault> {
        let mut outages = self.outages.lock().unwrap();
        if let Some(outage) = outages.iter().find(|fault| fault.operation == operation) {
            return Some(outage.clone());
        }
        let mut faults = self.faults.lock().unwrap();
        let position = faults.iter().position(|fault| fault.operation == operation)?;
        if faults[position].skip > 0 {
            faults[position].skip -= 1;
            return None;
        }
        let fault = faults.remove(position)?;
        if fault.lasting {
            outages.push(fault.clone());
        }
        Some(fault)
    }
}

/// The fault of the current attempt.
#[derive(Clone, Debug)]
struct Met(Option<Fault>);

impl Storable for Met {
    type Storer = StoreReplace<Self>;
}

fn operation(config: &ConfigBag) -> String {
    config.load::<Metadata>().map(|metadata| metadata.name().to_owned()).unwrap_or_default()
}

/// Puts the trace header where SQS would put it.
fn keep_trace(context: &mut BeforeTransmitInterceptorContextMut<'_>, trace: &str) -> Result<(), BoxError> {
    let request = context.request_mut();
    let mut body: Value = serde_json::from_slice(request.body().bytes().unwrap_or_default())?;
    body["MessageSystemAttributes"] = json!({"AWSTraceHeader": {"DataType": "String", "StringValue": trace}});
    let body = body.to_string();
    request.headers_mut().insert("content-length", body.len().to_string());
    *request.body_mut() = SdkBody::from(body);
    Ok(())
}

impl Intercept for Watch {
    fn name(&self) -> &'static str {
        "Watch"
    }

    fn modify_before_transmit(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _components: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let fault = self.next_fault(&operation(config));
        match fault.as_ref().map(|fault| fault.when) {
            Some(When::CrashBefore) => std::panic::resume_unwind(Box::new(Crash)),
            Some(When::InsteadOf) => {
                // Redirects the request to where it changes nothing. Its response is replaced anyway.
                let request = context.request_mut();
                request.set_method("GET")?;
                let mut uri = url::Url::parse(request.uri())?;
                uri.set_path("/injected-fault");
                uri.set_query(None);
                request.set_uri(uri.as_str())?;
                *request.body_mut() = SdkBody::empty();
                request.headers_mut().remove("content-length");
            }
            Some(When::NoConnection) => context.request_mut().set_uri("http://127.0.0.1:1/")?,
            Some(When::Silence) => context.request_mut().set_uri(format!("http://{}/", SILENT.local_addr()?))?,
            Some(When::After | When::CrashAfter) | None => {}
        }
        if let Some(trace) = self.trace.lock().unwrap().as_deref()
            && operation(config) == "SendMessage"
        {
            keep_trace(context, trace)?;
        }
        config.interceptor_state().store_put(Met(fault));
        config.interceptor_state().store_put(Place(*self.chain.lock().unwrap() + 1));
        Ok(())
    }

    /// Only counts answered calls: signing a link ends before sending.
    fn read_after_transmit(
        &self,
        _context: &BeforeDeserializationInterceptorContextRef<'_>,
        _components: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.calls.lock().unwrap().push(operation(config));
        if let Some(Place(place)) = config.load::<Place>() {
            let mut chain = self.chain.lock().unwrap();
            *chain = (*chain).max(*place);
        }
        if let Some(Met(Some(Fault { when: When::CrashAfter, .. }))) = config.load::<Met>() {
            std::panic::resume_unwind(Box::new(Crash));
        }
        Ok(())
    }

    fn modify_before_deserialization(
        &self,
        context: &mut BeforeDeserializationInterceptorContextMut<'_>,
        _components: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if let Some(Met(Some(fault))) = config.load::<Met>() {
            // Replaces the emulator's whole response, since its headers would name an error too.
            let status = StatusCode::try_from(fault.status)?;
            *context.response_mut() = Response::new(status, SdkBody::from(fault.body.clone()));
        }
        Ok(())
    }
}
