// A user's module, which takes the client from this clone.
module docmill/conformance

go 1.23

require github.com/docmill/docmill/clients/go v0.0.0

require github.com/standard-webhooks/standard-webhooks/libraries v0.0.1 // indirect

replace github.com/docmill/docmill/clients/go => ../
