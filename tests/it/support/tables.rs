//! A test's own tables.

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
