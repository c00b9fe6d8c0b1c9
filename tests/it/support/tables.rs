//! A test's own tables and buckets.

use docmill_aws::Aws;
use docmill_config::Config;
use uuid::Uuid;

use aws_sdk_dynamodb::types::{BillingMode, GlobalSecondaryIndex};

/// Another table with the same structure.
pub async fn table_like(client: &aws_sdk_dynamodb::Client, model: &str, name: &str) -> String {
    let model = client.describe_table().table_name(model).send().await.unwrap().table.unwrap();
    let mut create = client
        .create_table()
        .table_name(name)
        .billing_mode(BillingMode::PayPerRequest)
        .set_key_schema(model.key_schema)
        .set_attribute_definitions(model.attribute_definitions);
    for index in model.global_secondary_indexes.unwrap_or_default() {
        let copy = GlobalSecondaryIndex::builder().set_index_name(index.index_name).set_key_schema(index.key_schema);
        create = create.global_secondary_indexes(copy.set_projection(index.projection).build().unwrap());
    }
    create.send().await.unwrap();
    name.to_owned()
}

/// The configuration with a jobs table and a bucket of its own: a sweeper with its clock ahead would end other tests' leases, and
/// delete requests of jobs that are not in its table.
pub async fn with_own_jobs(mut config: Config, aws: &Aws) -> Config {
    let id = Uuid::now_v7().simple();
    config.tables.jobs = table_like(&aws.dynamodb(), &config.tables.jobs, &format!("jobs-{id}")).await;
    config.tables.events = table_like(&aws.dynamodb(), &config.tables.events, &format!("events-{id}")).await;
    let buckets = std::env::var("TEST_BUCKETS").expect("run the tests with `make test`");
    config.files_bucket = format!("{buckets}-{id}");
    aws.s3(config.s3_path_style).create_bucket().bucket(&config.files_bucket).send().await.unwrap();
    config
}

/// Removes what [`with_own_jobs`] has made.
pub async fn remove_jobs(config: &Config, aws: &Aws) {
    for table in [&config.tables.jobs, &config.tables.events] {
        aws.dynamodb().delete_table().table_name(table).send().await.unwrap();
    }
    let s3 = aws.s3(config.s3_path_style);
    let objects = s3.list_objects_v2().bucket(&config.files_bucket).send().await.unwrap().contents.unwrap_or_default();
    for object in objects {
        s3.delete_object().bucket(&config.files_bucket).key(object.key.unwrap()).send().await.unwrap();
    }
    s3.delete_bucket().bucket(&config.files_bucket).send().await.unwrap();
}
