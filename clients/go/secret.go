package docmill

// Secret is a password, a webhook's secret or a signed link. It is sent as it is, and never printed; string(secret) reveals it.
type Secret string

// String does not reveal the secret.
func (Secret) String() string { return "[secret]" }

// GoString does not reveal the secret.
func (Secret) GoString() string { return "docmill.Secret([secret])" }
