-- Codes are compared byte by byte: "C" makes that explicit, and its index is smaller and faster than a locale's.
CREATE TABLE "link_codes" (
  "code" TEXT COLLATE "C" NOT NULL,
  CONSTRAINT "link_codes_pkey" PRIMARY KEY ("code"),
  CONSTRAINT "link_codes_shape" CHECK ("code" ~ '^[0-9A-Za-z]{6,8}$')
);

-- A code that was given out once is on paper somewhere. Whoever could take it over would inherit that paper, so not even
-- a mistaken statement of ours may free one.
CREATE FUNCTION "refuse_link_codes_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'link_codes is insert-only: a code is never freed or changed (% refused)', TG_OP
    USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER "link_codes_insert_only"
  BEFORE UPDATE OR DELETE ON "link_codes"
  FOR EACH ROW EXECUTE FUNCTION "refuse_link_codes_change"();

CREATE TRIGGER "link_codes_never_truncated"
  BEFORE TRUNCATE ON "link_codes"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_link_codes_change"();

-- Without "ALWAYS", a session in replica mode (a restore, a logical copy) would pass them by.
ALTER TABLE "link_codes" ENABLE ALWAYS TRIGGER "link_codes_insert_only";
ALTER TABLE "link_codes" ENABLE ALWAYS TRIGGER "link_codes_never_truncated";

-- Room in each page lets the scan's verdict be written in place (HOT), without touching an index.
CREATE TABLE "links" (
  "code" TEXT COLLATE "C" NOT NULL,
  "long_url" TEXT NOT NULL,
  "owner" TEXT COLLATE "C",
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3),
  "track_clicks" BOOLEAN NOT NULL DEFAULT true,
  "version" INTEGER NOT NULL DEFAULT 1,
  "blocked_reason" TEXT,
  "blocked_at" TIMESTAMPTZ(3),
  "scanned_at" TIMESTAMPTZ(3),
  "scan_after" TIMESTAMPTZ(3),
  CONSTRAINT "links_pkey" PRIMARY KEY ("code"),
  CONSTRAINT "links_code_fkey" FOREIGN KEY ("code") REFERENCES "link_codes" ("code") ON DELETE NO ACTION ON UPDATE NO ACTION
) WITH (fillfactor = 85);

CREATE INDEX "links_by_owner" ON "links" ("owner", "created_at" DESC, "code" DESC) WHERE "owner" IS NOT NULL;
CREATE INDEX "links_by_expiry" ON "links" ("expires_at") WHERE "expires_at" IS NOT NULL;

CREATE TABLE "link_archive" (
  "code" TEXT COLLATE "C" NOT NULL,
  "long_url" TEXT NOT NULL,
  "owner" TEXT COLLATE "C",
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3),
  "track_clicks" BOOLEAN NOT NULL,
  "version" INTEGER NOT NULL,
  "blocked_reason" TEXT,
  "blocked_at" TIMESTAMPTZ(3),
  "scanned_at" TIMESTAMPTZ(3),
  "archived_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "link_archive_pkey" PRIMARY KEY ("code"),
  CONSTRAINT "link_archive_code_fkey" FOREIGN KEY ("code") REFERENCES "link_codes" ("code") ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE INDEX "link_archive_by_owner" ON "link_archive" ("owner", "created_at" DESC, "code" DESC) WHERE "owner" IS NOT NULL;

CREATE TABLE "idempotent_answers" (
  "caller" TEXT COLLATE "C" NOT NULL,
  "key" TEXT COLLATE "C" NOT NULL,
  "fingerprint" BYTEA NOT NULL,
  "status" SMALLINT NOT NULL,
  "body" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "idempotent_answers_pkey" PRIMARY KEY ("caller", "key")
);

CREATE INDEX "idempotent_answers_by_age" ON "idempotent_answers" ("created_at");

CREATE TABLE "link_invalidations" (
  "id" BIGSERIAL NOT NULL,
  "code" TEXT COLLATE "C" NOT NULL,
  "version" INTEGER NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "link_invalidations_pkey" PRIMARY KEY ("id")
);
