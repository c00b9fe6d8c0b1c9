module github.com/docmill/docmill/clients/go

go 1.23

require github.com/standard-webhooks/standard-webhooks/libraries v0.0.1
