//! An SDK interceptor that counts calls and injects faults.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

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

/// A fault for one attempt of one operation.
#[derive(Clone, Debug)]
pub struct Fault {
    operation: &'static str,
    when: When,
    status: u16,
    body: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// The request never takes effect.
    InsteadOf,
    /// It takes effect, and its answer is lost.
    After,
}

impl Fault {
    /// The service answers this, and does nothing.
    pub fn instead_of(operation: &'static str, status: u16, body: impl Into<String>) -> Self {
        Self { operation, when: When::InsteadOf, status, body: body.into() }
    }

    /// The service does what it was asked for, and a 500 comes back.
    pub fn lost_answer(operation: &'static str) -> Self {
        Self { operation, when: When::After, status: 500, body: error("InternalServerError") }
    }

    pub fn down(operation: &'static str) -> Self {
        Self::instead_of(operation, 503, error("ServiceUnavailable"))
    }

    /// A transaction that another one got in the way of: a reason for each of its parts.
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

/// Sees every attempt of every call of the clients it is given to.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    calls: Arc<Mutex<Vec<String>>>,
    faults: Arc<Mutex<VecDeque<Fault>>>,
}

impl Watch {
    pub fn interceptor(&self) -> SharedInterceptor {
        SharedInterceptor::new(self.clone())
    }

    /// The operations that were sent since the last time, each attempt apart.
    pub fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    /// The next attempts of the faults' operations meet them, in order.
    pub fn inject(&self, faults: impl IntoIterator<Item = Fault>) {
        self.faults.lock().unwrap().extend(faults);
    }

    /// How many injected faults were not met.
    pub fn unmet_faults(&self) -> usize {
        self.faults.lock().unwrap().len()
    }

    fn next_fault(&self, operation: &str) -> Option<Fault> {
        let mut faults = self.faults.lock().unwrap();
        let position = faults.iter().position(|fault| fault.operation == operation)?;
        faults.remove(position)
    }
}

/// The fault that the attempt under way meets.
#[derive(Clone, Debug)]
struct Met(Option<Fault>);

impl Storable for Met {
    type Storer = StoreReplace<Self>;
}

fn operation(config: &ConfigBag) -> String {
    config.load::<Metadata>().map(|metadata| metadata.name().to_owned()).unwrap_or_default()
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
        if fault.as_ref().is_some_and(|fault| fault.when == When::InsteadOf) {
            // The request goes where it changes nothing; its answer is replaced anyway.
            let request = context.request_mut();
            request.set_method("GET")?;
            let mut uri = url::Url::parse(request.uri())?;
            uri.set_path("/injected-fault");
            uri.set_query(None);
            request.set_uri(uri.as_str())?;
            *request.body_mut() = SdkBody::empty();
            request.headers_mut().remove("content-length");
        }
        config.interceptor_state().store_put(Met(fault));
        Ok(())
    }

    /// Counts what was answered: signing a link ends before it is sent.
    fn read_after_transmit(
        &self,
        _context: &BeforeDeserializationInterceptorContextRef<'_>,
        _components: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.calls.lock().unwrap().push(operation(config));
        Ok(())
    }

    fn modify_before_deserialization(
        &self,
        context: &mut BeforeDeserializationInterceptorContextMut<'_>,
        _components: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if let Some(Met(Some(fault))) = config.load::<Met>() {
            // The emulator's own answer goes whole, since its headers would name an error too.
            let status = StatusCode::try_from(fault.status)?;
            *context.response_mut() = Response::new(status, SdkBody::from(fault.body.clone()));
        }
        Ok(())
    }
}
