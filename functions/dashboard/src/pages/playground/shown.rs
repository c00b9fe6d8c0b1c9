//! What the playground's form shows.

use docmill_domain::catalogue::Tool;
use docmill_domain::job::Job;
use docmill_domain::limits::Limits;
use docmill_domain::template::TemplateName;
use docmill_site::form::FormData;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;

use super::messages::Messages;

/// The content of the form.
#[derive(Debug)]
pub struct Shown<'a> {
    pub state: &'a AppState,
    pub viewer: &'a Viewer,
    pub tools: Vec<&'a Tool>,
    pub tool: &'a Tool,
    pub data: &'a FormData,
    pub messages: Messages,
    pub own: Own,
}

/// What the account has that can be a source.
#[derive(Debug, Default)]
pub struct Own {
    /// The latest jobs with results.
    pub jobs: Vec<Job>,
    /// The stored templates, if the tool takes them.
    pub templates: Vec<TemplateName>,
}

impl Shown<'_> {
    /// The limits of the viewer's jobs.
    pub fn limits(&self) -> Limits {
        let widest = self.state.context.config.limits.clone();
        match &self.viewer.user {
            Some(user) => widest.narrowed_by(&self.viewer.settings.ceilings(&user.own_key())),
            None => widest,
        }
    }
}
