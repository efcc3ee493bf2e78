//! Wraps each operation: its refusals, and the framework's, get one envelope.
//!
//! It wraps the endpoints as they enter the route table, where it still sees the framework's typed errors. Panics, and
//! requests without an endpoint (an unknown route, a wrong method), are left to `outer`.

use crate::app::beside::BodyTurn;
use crate::contract::{Contract, MatchedOperation, Operation};
use crate::http::API_PATH;
use crate::http::answers::Taker;
use crate::http::error::Answer;
use crate::http::refusal::{Envelope, classify};
use crate::http::request::Template;
use crate::http::scope::Scope;
use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem::{Endpoint, EndpointExt, Request, Response};
use poem_openapi::OpenApi;
use poem_openapi::registry::{MetaApi, Registry};
use std::collections::HashMap;
use std::sync::Arc;

/// The operations of `T`, each guarded by its row of the contract.
pub struct Guarded<T> {
    /// The operations.
    pub operations: T,
    /// What is promised of them.
    pub contract: Arc<Contract>,
}

type Table = HashMap<String, HashMap<Method, BoxEndpoint<'static>>>;

impl<T: OpenApi> OpenApi for Guarded<T> {
    fn meta() -> Vec<MetaApi> {
        T::meta()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }

    fn add_routes(self, table: &mut Table) {
        let mut plain = Table::new();
        self.operations.add_routes(&mut plain);
        for (path, methods) in plain {
            let guarded = methods.into_iter().map(|(method, inner)| {
                let operation = self.contract.operation(&method, &path).cloned();
                let template = operation.as_ref().map_or(path.as_str(), |operation| &operation.path);
                let guard = Guard { inner, template: format!("{API_PATH}{template}").into(), operation };
                (method, guard.boxed())
            });
            table.entry(path.clone()).or_default().extend(guarded.collect::<Vec<_>>());
        }
    }
}

struct Guard {
    inner: BoxEndpoint<'static>,
    template: Arc<str>,
    operation: Option<Arc<Operation>>,
}

impl Endpoint for Guard {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let envelope = Envelope::of(&self.template);
        let mut response = match self.reach(&mut request).await {
            Err(refusal) => envelope.refuse(&refusal),
            Ok(()) => match self.inner.call(request).await {
                Ok(response) => response,
                Err(error) => envelope.refuse(&classify(error)),
            },
        };
        response.set_data(Template(self.template.clone()));
        Ok(response)
    }
}

impl Guard {
    /// Attaches the operation that was reached, and checks the request now if its caller need not be known first.
    async fn reach(&self, request: &mut Request) -> Answer<()> {
        let Some(operation) = &self.operation else { return Ok(()) };
        request.set_data(MatchedOperation(Arc::clone(operation)));
        if operation.takes_credential {
            return Ok(());
        }
        BodyTurn::wait(request, Taker::of(&Scope::of(request))).await;
        operation.judge(request)
    }
}
