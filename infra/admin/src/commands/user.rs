//! Users of the dashboard and their accounts.

use clap::Subcommand;
use docmill_app::context::Context;
use docmill_config::clock;
use docmill_domain::audit::SubjectKind;
use docmill_domain::user::{Email, Link, User};
use serde_json::{Value, json};

use super::note;
use crate::output::{Failure, Output, refuse};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show users who have signed in, and addresses that are linked to an account.
    List,
    /// Link this verified email address to an account. Users with it belong to the account from their next sign-in.
    Link {
        #[arg(long)]
        email: String,
        #[arg(long)]
        account: String,
    },
    /// Remove an address's link and end the sessions of its users. Their next sign-in is like a first one.
    Unlink {
        #[arg(long)]
        email: String,
    },
    /// End all sessions of the users with this address.
    SignOut {
        #[arg(long)]
        email: String,
    },
}

pub(crate) async fn run(context: &Context, command: Command) -> Result<Output, Failure> {
    match command {
        Command::List => {
            let users = context.users.users(None).await?;
            let links = context.users.links().await?;
            let links: Vec<_> =
                links.iter().map(|link| json!({"email": link.email, "account": link.account})).collect();
            let users: Vec<_> = users.iter().map(view).collect();
            Ok(Output::new("users", json!({"signedIn": users, "links": links})))
        }
        Command::Link { email, account } => {
            let email = address(&email)?;
            if context.usage.profile(&account).await?.is_none() {
                return refuse(format!("there is no account {account}"));
            }
            note(context, (SubjectKind::Account, &account), "user linked", email.as_str()).await?;
            let link = Link { email, account, created_at: clock::now() };
            context.users.link(&link).await?;
            Ok(Output::new("link", json!({"email": link.email, "account": link.account})))
        }
        Command::Unlink { email } => {
            let email = address(&email)?;
            note(context, (SubjectKind::User, email.as_str()), "link", "removed").await?;
            let users = context.users.unlink(&email).await?;
            Ok(Output::new("unlinked", json!({"email": email, "users": users})))
        }
        Command::SignOut { email } => {
            let email = address(&email)?;
            note(context, (SubjectKind::User, email.as_str()), "sessions", "ended").await?;
            let users = context.users.users(Some(&email)).await?;
            for user in &users {
                context.users.sign_out_everywhere(&user.user, clock::now()).await?;
            }
            Ok(Output::new("signedOut", json!({"email": email, "users": users.len()})))
        }
    }
}

fn address(text: &str) -> Result<Email, Failure> {
    Email::parse(text).ok_or_else(|| Failure::Refused(format!("{text} is not an email address")))
}

fn view(user: &User) -> Value {
    json!({
        "email": user.email,
        "account": user.account,
        "subject": user.subject,
        "since": user.created_at.to_string(),
    })
}
