//! The server: what each request of the protocol means for the API.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, CreateTaskResult,
    GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::api::{Answer, Api, Request};
use crate::arguments::{CancelJob, DescribeTool, GetJob, ListTools, ReadResult, RunTool, in_path, parse};
use crate::definitions::definition;
use crate::files::{LocalFiles, upload_sources};
use crate::prompts;
use crate::reading::{self, PIECE_BYTES, is_text};
use crate::resources;
use crate::results::{
    error, files_of, of_answer, of_description, of_job, of_piece, of_read, of_saved, of_search, of_tools, of_unsaved,
    refusal,
};
use crate::tasks;
use crate::tool_name::ToolName;

/// The lists change with a release.
const LIST_TTL_MS: u64 = 3_600_000;

const INSTRUCTIONS: &str = "Docmill converts and edits documents (Office, PDF, HTML, Markdown, email, pictures). list_tools shows \
                            what it can do, describe_tool the options of one tool, and run_tool runs it. To read a document, use \
                            extract-document with the option format: markdown. Several steps on one document are one job: name \
                            the further tools in `then`.";

/// Serves the tools over `A`. Cheap to clone.
pub struct Server<A> {
    api: Arc<A>,
    files: Option<Arc<dyn LocalFiles>>,
}

impl<A> Clone for Server<A> {
    fn clone(&self) -> Self {
        Self { api: self.api.clone(), files: self.files.clone() }
    }
}

impl<A> fmt::Debug for Server<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("files", &self.files).finish_non_exhaustive()
    }
}

/// The API's answer, if there was one, and the result of the tool.
pub(crate) struct Called {
    answer: Option<Answer>,
    pub(crate) result: CallToolResult,
}

impl Called {
    fn refused(message: impl Into<String>) -> Self {
        Self { answer: None, result: error(message) }
    }
}

impl<A: Api> Server<A> {
    /// A server without files: sources come by URL, as text or as uploads, and results go as links.
    pub fn new(api: Arc<A>) -> Self {
        Self { api, files: None }
    }

    /// A server on the user's machine, whose files the tools take and write.
    pub fn with_files(api: Arc<A>, files: Arc<dyn LocalFiles>) -> Self {
        Self { api, files: Some(files) }
    }

    pub(crate) async fn call(&self, tool: ToolName, arguments: Option<rmcp::model::JsonObject>) -> Called {
        let called = match tool {
            ToolName::ListTools => self.send(parse(arguments).map(|ListTools {}| Request::ListTools), of_tools).await,
            ToolName::DescribeTool => return self.describe(arguments).await.unwrap_or_else(Called::refused),
            ToolName::RunTool => return self.run(arguments).await.unwrap_or_else(Called::refused),
            ToolName::GetJob => return self.get_job(arguments).await.unwrap_or_else(Called::refused),
            ToolName::ReadResult => return self.read(arguments).await.unwrap_or_else(Called::refused),
            ToolName::CancelJob => self.send(parse(arguments).and_then(CancelJob::request), of_job).await,
            ToolName::CreateUpload => {
                let body = arguments.unwrap_or_default();
                self.send(Ok(Request::CreateUpload { body }), of_answer).await
            }
        };
        called.unwrap_or_else(Called::refused)
    }

    /// Errors are for the model.
    async fn send(
        &self,
        request: Result<Request, String>,
        result: impl FnOnce(&Answer) -> CallToolResult,
    ) -> Result<Called, String> {
        let answer = self.api.send(request?).await.map_err(|unreachable| unreachable.0)?;
        let result = result(&answer);
        Ok(Called { answer: Some(answer), result })
    }

    async fn run(&self, arguments: Option<rmcp::model::JsonObject>) -> Result<Called, String> {
        let mut wanted: RunTool = parse(arguments)?;
        let target = self.target(wanted.save_to.take())?;
        if let Some(files) = &self.files {
            upload_sources(&mut wanted.input, files.as_ref()).await?;
        }
        self.finish(self.send(wanted.request(), of_job).await?, target).await
    }

    async fn describe(&self, arguments: Option<rmcp::model::JsonObject>) -> Result<Called, String> {
        let mut wanted: DescribeTool = parse(arguments)?;
        let option = wanted.option.take();
        self.send(wanted.request(), |answer| of_description(answer, option.as_deref())).await
    }

    async fn read(&self, arguments: Option<rmcp::model::JsonObject>) -> Result<Called, String> {
        let ReadResult { job_id, file, offset, search } = parse(arguments)?;
        let job = in_path("jobId", job_id)?;
        let api = self.api.as_ref();
        let result = match search.filter(|search| !search.is_empty()) {
            Some(wanted) => reading::search(api, &job, file, &wanted).await.map(of_search),
            None => reading::piece(api, &job, file, offset, PIECE_BYTES).await.map(of_piece),
        };
        Ok(Called { answer: None, result: result.unwrap_or_else(|answer| refusal(&answer)) })
    }

    /// Saves the result of a completed job, or reads it into the answer if it is one text.
    async fn finish(&self, mut called: Called, target: Option<Target<'_>>) -> Result<Called, String> {
        let Some(answer) = &called.answer else { return Ok(called) };
        let files = files_of(answer);
        let Some(file) = files.first() else { return Ok(called) };
        if let Some(Target { files, path }) = target {
            let path = place_of(path, file["filename"].as_str().unwrap_or("result"));
            called.result = match files.save(file, &path).await {
                Ok(()) => of_saved(answer, &path.display().to_string()),
                Err(message) => of_unsaved(answer, &message),
            };
            return Ok(called);
        }
        let is_read = files.len() == 1 && file["contentType"].as_str().is_some_and(is_text);
        if let Some(job) = answer.body["job"]["id"].as_str().filter(|_| is_read) {
            // A text that can't be read now still has its link.
            if let Ok(piece) = reading::piece(self.api.as_ref(), job, 0, 0, PIECE_BYTES).await {
                called.result = of_read(answer, &piece);
            }
        }
        Ok(called)
    }

    async fn get_job(&self, arguments: Option<rmcp::model::JsonObject>) -> Result<Called, String> {
        let mut wanted: GetJob = parse(arguments)?;
        let target = self.target(wanted.save_to.take())?;
        self.finish(self.send(wanted.request(), of_job).await?, target).await
    }

    /// Where to save the result, if anywhere.
    fn target(&self, path: Option<String>) -> Result<Option<Target<'_>>, String> {
        let Some(path) = path else { return Ok(None) };
        let files = self.files.as_deref().ok_or("`saveTo` works only on your own machine.")?;
        let path = PathBuf::from(path);
        // Before anything is paid.
        if path.is_file() {
            return Err(format!("{} exists already. Choose another name.", path.display()));
        }
        Ok(Some(Target { files, path }))
    }

    /// The state of a task's job, now.
    async fn job_of_task(&self, task: String, request: impl FnOnce(String) -> Request) -> Result<Called, ErrorData> {
        let request = in_path("taskId", task).map(request);
        let called = self.send(request, of_job).await.map_err(|message| ErrorData::invalid_params(message, None))?;
        match &called.answer {
            Some(answer) if answer.body["job"].is_object() => Ok(called),
            Some(answer) => {
                let error = &answer.body["error"];
                let message = error["message"].as_str().unwrap_or("The task could not be read.").to_owned();
                let data = serde_json::json!({"code": error["code"], "requestId": answer.body["requestId"]});
                Err(if answer.status < 500 {
                    ErrorData::invalid_params(message, Some(data))
                } else {
                    ErrorData::internal_error(message, Some(data))
                })
            }
            None => Err(ErrorData::internal_error("The task could not be read.", None)),
        }
    }
}

/// Where a result of this name is saved: in a folder, or as a file whose name says its format.
fn place_of(path: PathBuf, name: &str) -> PathBuf {
    let is_folder = path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
    match Path::new(name).extension() {
        _ if is_folder => path.join(name),
        Some(extension) => path.with_extension(extension),
        None => path,
    }
}

/// A new file, or a folder.
struct Target<'a> {
    files: &'a dyn LocalFiles,
    path: PathBuf,
}

impl<A: Api> ServerHandler for Server<A> {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().enable_tasks().build();
        let name = Implementation::new("docmill", env!("CARGO_PKG_VERSION")).with_title("Docmill");
        ServerConfig::new(capabilities).with_server_info(name).with_instructions(INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let has_files = self.files.is_some();
        ToolName::parse(name).filter(|tool| tool.is_offered(has_files)).map(|tool| definition(tool, has_files))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = ToolName::ALL.into_iter().filter_map(|tool| self.get_tool(tool.as_str())).collect();
        let list = ListToolsResult::with_all_items(tools);
        Ok(ListToolsResult { ttl_ms: Some(LIST_TTL_MS), cache_scope: Some(CacheScope::Public), ..list })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let offered = ToolName::parse(&request.name).filter(|tool| tool.is_offered(self.files.is_some()));
        let Some(tool) = offered else {
            return Err(ErrorData::invalid_params("There is no tool with this name. tools/list lists all.", None));
        };
        let Called { answer, result } = self.call(tool, request.arguments).await;
        let unfinished = answer.and_then(|answer| tasks::of_unfinished(&answer.body["job"]));
        let takes_tasks = context.client_capabilities().is_some_and(|client| client.supports_tasks());
        Ok(match unfinished {
            Some(task) if takes_tasks && tool == ToolName::RunTool => CreateTaskResult::new(task).into(),
            Some(_) | None => result.into(),
        })
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(self.api.as_ref(), LIST_TTL_MS).await
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates(LIST_TTL_MS))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(self.api.as_ref(), &request.uri).await.map(Into::into)
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(prompts::list(LIST_TTL_MS))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&request.name, request.arguments.as_ref(), self.files.is_some()).map(Into::into)
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let called = self.job_of_task(request.task_id, |job| Request::GetDownload { job }).await?;
        let called = self.finish(called, None).await.unwrap_or_else(Called::refused);
        let job = called.answer.map(|answer| answer.body["job"].clone()).unwrap_or_default();
        let task = tasks::detailed(&job, &called.result);
        task.map(GetTaskResult::new).ok_or_else(|| ErrorData::internal_error("The task could not be read.", None))
    }

    /// Jobs never ask for input, so there is nothing to answer.
    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.job_of_task(request.task_id, |job| Request::GetDownload { job }).await.map(drop)
    }

    /// A job that has ended stays as it is.
    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.job_of_task(request.task_id, |job| Request::CancelJob { job }).await.map(drop)
    }
}
