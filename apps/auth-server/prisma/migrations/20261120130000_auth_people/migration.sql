-- A known browser proves itself with a signed cookie; nothing of it is kept here.
DROP TABLE remembered_browsers;

-- A password that an operator gave out: its owner has to choose another one at the next sign-in.
ALTER TABLE accounts ADD COLUMN password_is_temporary boolean NOT NULL DEFAULT false;

-- What a person has allowed an application, beyond the session in which it was asked.
CREATE TABLE consents (
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE ON UPDATE CASCADE,
  client_id text NOT NULL REFERENCES clients (id) ON DELETE CASCADE ON UPDATE CASCADE,
  allowed jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, client_id)
);
CREATE INDEX consents_client_id_idx ON consents (client_id);

-- Where a session was begun, for its owner to recognise it.
CREATE TABLE session_places (
  session_uid text PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE ON UPDATE CASCADE,
  browser text NOT NULL,
  address text NOT NULL,
  signed_in_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX session_places_account_id_idx ON session_places (account_id);
CREATE INDEX session_places_signed_in_at_idx ON session_places (signed_in_at);
