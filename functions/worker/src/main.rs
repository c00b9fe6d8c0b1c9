//! The worker's binary: the Lambda function, the commands for conversions without AWS, and its own helpers.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "worker", version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Convert one source to PDF, without AWS.
    Convert(worker::convert_command::Args),
    /// Convert each source that a JSON line on standard input names, in one process.
    ConvertEach(worker::convert_command::batch::BatchArgs),
    /// Apply limits to this process and become another program.
    #[command(hide = true)]
    Confine(docmill_confine::Args),
    /// Show what this platform keeps from a converter that was taken over: each thing is tried.
    Probe,
    /// Try what a confined child must not do.
    #[command(hide = true)]
    Attempt(docmill_confine::AttemptArgs),
    /// Lay out a page in a directory, as a confined child.
    #[command(hide = true)]
    RenderHtml(docmill_html_basic::render::Args),
    /// Index the fonts, and fork a child per page.
    #[command(hide = true)]
    HtmlZygote(docmill_html_basic::zygote::Args),
    /// Load LibreOffice, and fork a child per document.
    #[command(hide = true)]
    OfficeZygote(docmill_office::ZygoteArgs),
    /// Load the PDF libraries, and fork a child per call.
    #[command(hide = true)]
    PdfHelper(docmill_pdf_engine::HelperArgs),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Some(Command::Convert(args)) => worker::convert_command::run(&args),
        Some(Command::ConvertEach(args)) => worker::convert_command::batch::run(&args),
        Some(Command::Confine(args)) => confine(args),
        Some(Command::Probe) => probe(),
        Some(Command::Attempt(args)) => docmill_confine::attempt_all(&args),
        Some(Command::RenderHtml(args)) => docmill_html_basic::render::run(&args),
        Some(Command::HtmlZygote(args)) => html_zygote(&args),
        Some(Command::OfficeZygote(args)) => office_zygote(&args),
        Some(Command::PdfHelper(args)) => pdf_helper(&args),
        None => lambda(),
    }
}

fn confine(args: docmill_confine::Args) -> ExitCode {
    let error = docmill_confine::exec(args);
    eprintln!("the child could not be confined, so it was not started: {error}");
    ExitCode::from(docmill_confine::NOT_CONFINED)
}

fn probe() -> ExitCode {
    let probed = docmill_confine::hide_own_memory().and_then(|()| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async { docmill_confine::Platform::probe(&std::env::current_exe()?).await })
    });
    let shown =
        probed.and_then(|platform| std::io::Write::write_fmt(&mut std::io::stdout(), format_args!("{platform}")));
    match shown {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("worker: {error}");
            ExitCode::FAILURE
        }
    }
}

fn lambda() -> ExitCode {
    docmill_telemetry::init();
    let error = match serve() {
        Ok(()) => worker::tenancy::start_afresh().into(),
        Err(error) => error,
    };
    eprintln!("worker: {error}");
    ExitCode::FAILURE
}

fn serve() -> Result<(), lambda_runtime::Error> {
    docmill_confine::hide_own_memory()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let (pipeline, tenancy) = worker::lambda::pipeline_of_function().await?;
        worker::lambda::serve(pipeline, tenancy).await
    })
}

fn html_zygote(args: &docmill_html_basic::zygote::Args) -> ExitCode {
    match docmill_html_basic::zygote::run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("not serving: {error}");
            ExitCode::FAILURE
        }
    }
}

fn pdf_helper(args: &docmill_pdf_engine::HelperArgs) -> ExitCode {
    match docmill_pdf_engine::run_helper(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("not serving: {error}");
            ExitCode::FAILURE
        }
    }
}

fn office_zygote(args: &docmill_office::ZygoteArgs) -> ExitCode {
    let error = docmill_office::run_zygote(args);
    eprintln!("not serving: {error}");
    ExitCode::FAILURE
}
