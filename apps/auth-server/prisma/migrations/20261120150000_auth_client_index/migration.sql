-- Disabling a client ends its own tokens and those of its grants: found by client without looking at every token.
DROP INDEX oidc_records_client_idx;
CREATE INDEX oidc_records_client_idx ON oidc_records (client_id) WHERE kind IN ('Grant', 'ClientCredentials');
