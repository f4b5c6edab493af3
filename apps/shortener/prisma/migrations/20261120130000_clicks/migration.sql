-- Counts are kept for ever and are small; everything with a visitor in it lives in partitions that are dropped whole.
-- The partitions stand in a schema of their own: they come and go, the tables do not.
CREATE SCHEMA IF NOT EXISTS "click_partitions";

-- Where the worker is in each partition of the topic. Moved in the same transaction as the counts, from the value the
-- worker knows to the next: redelivery and workers that lost their partition count nothing twice.
CREATE TABLE "click_offsets" (
  "cluster" TEXT COLLATE "C" NOT NULL,
  "topic" TEXT COLLATE "C" NOT NULL,
  "partition" INTEGER NOT NULL,
  "next_offset" BIGINT NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "click_offsets_pkey" PRIMARY KEY ("cluster", "topic", "partition")
) WITH (fillfactor = 50);

-- Ids of events counted lately, by the hour in which they were counted.
CREATE TABLE "click_seen" (
  "hour" TIMESTAMPTZ(0) NOT NULL,
  "event_id" UUID NOT NULL,
  CONSTRAINT "click_seen_pkey" PRIMARY KEY ("hour", "event_id")
) PARTITION BY RANGE ("hour");

CREATE TABLE "click_minutes" (
  "code" TEXT COLLATE "C" NOT NULL,
  "minute" TIMESTAMPTZ(0) NOT NULL,
  "humans" BIGINT NOT NULL,
  "bots" BIGINT NOT NULL,
  CONSTRAINT "click_minutes_pkey" PRIMARY KEY ("code", "minute")
) PARTITION BY RANGE ("minute");

-- Room in each page: a count grows in place (HOT), without touching the index.
CREATE TABLE "click_hours" (
  "code" TEXT COLLATE "C" NOT NULL,
  "hour" TIMESTAMPTZ(0) NOT NULL,
  "humans" BIGINT NOT NULL,
  "bots" BIGINT NOT NULL,
  CONSTRAINT "click_hours_pkey" PRIMARY KEY ("code", "hour")
) WITH (fillfactor = 80);

CREATE TABLE "click_days" (
  "code" TEXT COLLATE "C" NOT NULL,
  "day" DATE NOT NULL,
  "humans" BIGINT NOT NULL,
  "bots" BIGINT NOT NULL,
  "uniques" BIGINT NOT NULL,
  CONSTRAINT "click_days_pkey" PRIMARY KEY ("code", "day")
) WITH (fillfactor = 80);

-- kind: r referrer, b browser, s system, d device, c country. An empty name is an unknown one.
CREATE TABLE "click_breakdowns" (
  "code" TEXT COLLATE "C" NOT NULL,
  "day" DATE NOT NULL,
  "kind" CHAR(1) NOT NULL,
  "name" TEXT COLLATE "C" NOT NULL,
  "humans" BIGINT NOT NULL,
  "bots" BIGINT NOT NULL,
  CONSTRAINT "click_breakdowns_pkey" PRIMARY KEY ("code", "day", "kind", "name")
) WITH (fillfactor = 80);

-- The key under which a day's visitors are hashed. Destroyed with the day's visitors: from then on nobody can tell who
-- they were.
CREATE TABLE "click_salts" (
  "day" DATE NOT NULL,
  "salt" BYTEA NOT NULL,
  CONSTRAINT "click_salts_pkey" PRIMARY KEY ("day")
);

CREATE TABLE "click_visitors" (
  "day" DATE NOT NULL,
  "code" TEXT COLLATE "C" NOT NULL,
  "visitor" BIGINT NOT NULL,
  CONSTRAINT "click_visitors_pkey" PRIMARY KEY ("day", "code", "visitor")
) PARTITION BY RANGE ("day");

-- Single clicks, to count anew from; nothing is answered from them, so nothing is indexed.
CREATE TABLE "clicks" (
  "time" TIMESTAMPTZ(3) NOT NULL,
  "event_id" UUID NOT NULL,
  "code" TEXT COLLATE "C" NOT NULL,
  "ip" TEXT COLLATE "C",
  "country" TEXT COLLATE "C",
  "referrer" TEXT COLLATE "C",
  "user_agent" TEXT COLLATE "C",
  "is_bot" BOOLEAN NOT NULL
) PARTITION BY RANGE ("time");
