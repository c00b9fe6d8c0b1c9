//! Offered plans, where to ask for credits, and administrators' views of a customer.

use docmill_domain::account::Plan;
use docmill_domain::audit::{Subject, SubjectKind, View};
use docmill_domain::job::JobId;
use docmill_domain::offer::{Contact, Offer};
use docmill_domain::tool::ServiceSettings;
use docmill_store::settings::Versioned;
use uuid::Uuid;

use crate::support::visitor::Visitor;
use crate::support::world::{World, author};

async fn ask_at(world: &World, contact: &str) {
    let before = world.context.settings.fresh().await.unwrap().versioned_service();
    let contact = Some(Contact::parse(contact).unwrap());
    let after = ServiceSettings { credits_contact: contact, ..before.value.clone() };
    world.context.settings.change_service(&before, &after, &author()).await.unwrap();
    world.context.settings.fresh().await.unwrap();
}

#[tokio::test]
async fn offered_plans_are_public_and_users_without_credits_get_the_contact() {
    let world = World::with_own_settings().await;
    ask_at(&world, "billing@docmill.example").await;
    let title = format!("Plan {}", Uuid::now_v7().simple());
    let unset = Versioned { value: Plan::fallback(&format!("plan_{}", Uuid::now_v7().simple())), version: 0 };
    let hidden = Versioned { value: Plan::fallback(&format!("hidden_{}", Uuid::now_v7().simple())), version: 0 };
    let offer = Offer::new(&title, "€29 <per> month");
    let offered = Plan { included_credits: 12_500, offer, ..unset.value.clone() };
    world.context.settings.change_plan(&unset, &offered, &author()).await.unwrap();
    world.context.settings.change_plan(&hidden, &hidden.value, &author()).await.unwrap();
    world.context.settings.fresh().await.unwrap();

    let account = world.account(0).await;
    let visitor = Visitor::of(&world, &account).await;
    let page = visitor.get("/plans").await;
    assert_eq!(page.status, 200);
    for part in [title.as_str(), "€29 &lt;per&gt; month", "12,500 credits per month", "mailto:billing@docmill.example"]
    {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    assert!(page.text.contains("Office to PDF") && page.text.contains("credit per document"), "{}", page.text);
    assert!(!page.text.contains(&hidden.value.id));

    let overview = visitor.get("/app").await;
    assert!(overview.text.contains("You have no credits left."), "{}", overview.text);
    assert!(overview.text.contains("mailto:billing@docmill.example") && overview.text.contains(&title));
    let refused = world.create_job_of_secrets(&account).await;
    assert_eq!(refused.refusal(), (402, "insufficient_credits"));
    let message = refused.body["error"]["message"].as_str().unwrap();
    assert!(message.ends_with("To get more: billing@docmill.example"), "{message}");
    world.remove_settings().await;
}

#[tokio::test]
async fn an_administrator_finds_an_account_by_a_users_address_and_each_view_is_recorded() {
    let world = World::new();
    // Creates both plans before the settings are read.
    let (account, stranger) = (world.account(10).await, world.account(10).await);
    let id = world.create_job_of_secrets(&account).await.job_id();
    let user = Visitor::of(&world, &account).await;
    let admin = Visitor::admin(&world, &world.account(0).await).await;
    let own = format!("/admin/accounts/{}", account.id);

    let found = admin.get(&format!("/admin/accounts?q=%20{}", user.email.as_str().to_uppercase())).await;
    assert_eq!((found.status, found.header("location")), (303, format!("/base{own}").as_str()));

    let secret = account.key.reveal().to_owned();
    for (path, part) in [("/keys", "key_"), ("/jobs", id.as_str()), (&format!("/jobs/{id}"), "files.example")] {
        let page = admin.get(&format!("{own}{path}")).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.text.contains(part), "{path}: {}", page.text);
        assert!(!page.text.contains("canary") && !page.text.contains(&secret), "{path}: {}", page.text);
    }
    let subject = Subject::new(SubjectKind::Account, &account.id);
    let entries = world.context.audit.list(Some(&subject), None, 10).await.unwrap().entries;
    let views: Vec<_> = entries.iter().filter_map(|entry| entry.viewed).collect();
    assert_eq!(views, [View::Job(JobId::parse(&id).unwrap()), View::Jobs, View::Keys], "newest first");
    assert!(entries.iter().filter(|entry| entry.viewed.is_some()).all(|entry| entry.actor == admin.email.as_str()));
    assert!(admin.get(&own).await.text.contains("viewed the keys"));

    // Nothing unknown is shown or recorded, and only administrators can open these pages.
    let other = world.create_job_of_secrets(&stranger).await.job_id();
    for path in [format!("{own}/jobs/{other}"), format!("{own}/jobs/x"), "/admin/accounts/none/keys".to_owned()] {
        assert_eq!(admin.get(&path).await.status, 404, "{path}");
    }
    for path in ["/keys", "/jobs", &format!("/jobs/{id}")] {
        assert_eq!(user.get(&format!("{own}{path}")).await.status, 403, "{path}");
    }
    assert_eq!(world.context.audit.list(Some(&subject), None, 10).await.unwrap().entries.len(), entries.len());
}
