-- Breakdowns of days that are over, one row a kind: a ninth of the space, and a year of them is read in milliseconds.
-- width: d a day, m a month, which holds the sum of its days.
CREATE TABLE "click_breakdown_packs" (
  "code" TEXT COLLATE "C" NOT NULL,
  "width" CHAR(1) NOT NULL,
  "start" DATE NOT NULL,
  "kind" CHAR(1) NOT NULL,
  "names" TEXT[] NOT NULL,
  "humans" BIGINT[] NOT NULL,
  "bots" BIGINT[] NOT NULL,
  CONSTRAINT "click_breakdown_packs_pkey" PRIMARY KEY ("code", "width", "start", "kind")
);
