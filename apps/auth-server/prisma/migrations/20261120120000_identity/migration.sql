CREATE TABLE accounts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  email text NOT NULL,
  email_verified boolean NOT NULL DEFAULT false,
  name text,
  password_hash text NOT NULL,
  password_changed_at timestamptz(3) NOT NULL DEFAULT now(),
  profile jsonb NOT NULL DEFAULT '{}',
  address jsonb,
  phone_number text,
  phone_number_verified boolean NOT NULL DEFAULT false,
  disabled_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX accounts_email_key ON accounts (lower(email));

CREATE TABLE sign_in_attempts (
  subject bytea PRIMARY KEY,
  failures integer NOT NULL DEFAULT 0,
  window_start timestamptz(3) NOT NULL DEFAULT now(),
  blocked_until timestamptz(3),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_attempts_updated_at_idx ON sign_in_attempts (updated_at);

CREATE TABLE remembered_browsers (
  id bytea PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE ON UPDATE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX remembered_browsers_account_id_idx ON remembered_browsers (account_id);
CREATE INDEX remembered_browsers_expires_at_idx ON remembered_browsers (expires_at);

CREATE TABLE clients (
  id text PRIMARY KEY,
  metadata jsonb NOT NULL,
  api_scopes text[],
  origin text NOT NULL DEFAULT 'operator',
  disabled_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE client_secrets (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  client_id text NOT NULL REFERENCES clients (id) ON DELETE CASCADE ON UPDATE CASCADE,
  hash bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3)
);
CREATE INDEX client_secrets_client_id_idx ON client_secrets (client_id);

CREATE TABLE oidc_records (
  kind text NOT NULL,
  id bytea NOT NULL,
  payload jsonb NOT NULL,
  grant_id text,
  account_id text,
  client_id text,
  uid text,
  user_code bytea,
  consumed_at timestamptz(3),
  status_list_id text,
  status_index integer,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX oidc_records_expires_at_idx ON oidc_records (expires_at);
-- Partial: most rows have none of these, and every index costs a write.
CREATE INDEX oidc_records_grant_id_idx ON oidc_records (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oidc_records_account_idx ON oidc_records (account_id, kind) WHERE account_id IS NOT NULL;
CREATE INDEX oidc_records_client_idx ON oidc_records (client_id, kind) WHERE client_id IS NOT NULL AND grant_id IS NULL;
CREATE UNIQUE INDEX oidc_records_uid_key ON oidc_records (uid) WHERE uid IS NOT NULL;
CREATE INDEX oidc_records_user_code_idx ON oidc_records (user_code) WHERE user_code IS NOT NULL;
-- Rows live for minutes; vacuum early instead of letting the heap grow to a fifth of dead rows first.
ALTER TABLE oidc_records SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, fillfactor = 85);

CREATE TABLE signing_keys (
  kid text PRIMARY KEY,
  alg text NOT NULL,
  public_jwk jsonb NOT NULL,
  sealed_jwk bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  signs_from timestamptz(3),
  retired_at timestamptz(3)
);

CREATE TABLE status_lists (
  id text PRIMARY KEY,
  leased integer NOT NULL DEFAULT 0,
  seed bigint NOT NULL,
  opened_at timestamptz(3) NOT NULL DEFAULT now(),
  closes_at timestamptz(3) NOT NULL,
  drop_at timestamptz(3) NOT NULL
);
CREATE INDEX status_lists_closes_at_idx ON status_lists (closes_at);

CREATE TABLE status_revocations (
  list_id text NOT NULL REFERENCES status_lists (id) ON DELETE CASCADE ON UPDATE CASCADE,
  position integer NOT NULL,
  revoked_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (list_id, position)
);

CREATE TABLE change_marks (
  topic text PRIMARY KEY,
  version bigint NOT NULL DEFAULT 0
);
INSERT INTO change_marks (topic) VALUES ('clients'), ('signing_keys');
