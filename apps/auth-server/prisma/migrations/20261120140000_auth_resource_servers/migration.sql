-- Resource identifiers whose access tokens a client may introspect: it is their resource server.
ALTER TABLE clients ADD COLUMN introspects text[];
