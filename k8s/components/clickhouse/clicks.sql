-- Clicks for exploration at any size, straight from the topic: no service knows of it. What owners see stays in PostgreSQL.
-- Every statement may run again.
CREATE DATABASE IF NOT EXISTS gatepost;

-- One row a click. A message that comes twice has the same id, and merges into one; FINAL counts it once before that.
CREATE TABLE IF NOT EXISTS gatepost.clicks (
  code String,
  timestamp DateTime64(3, 'UTC'),
  id UUID,
  -- Not the visitor's address but its network, /24 or /48, as PostgreSQL keeps it by default.
  network String,
  referrer_host LowCardinality(String),
  user_agent String CODEC(ZSTD)
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(timestamp)
ORDER BY (code, timestamp, id)
TTL toDateTime(timestamp) + INTERVAL 1 YEAR;

-- What is no click event, and why: the worker's dead letters, seen from here.
CREATE TABLE IF NOT EXISTS gatepost.clicks_unread (
  seen_at DateTime DEFAULT now(),
  partition UInt64,
  offset UInt64,
  error String,
  message String
) ENGINE = MergeTree ORDER BY (partition, offset) TTL seen_at + INTERVAL 30 DAY;

-- The topic. Brokers, group and format are in the named collection (config.xml).
CREATE TABLE IF NOT EXISTS gatepost.click_topic (
  code String,
  timestamp DateTime64(3, 'UTC'),
  ip String,
  referrer Nullable(String),
  userAgent Nullable(String)
) ENGINE = Kafka(click_topic)
SETTINGS date_time_input_format = 'best_effort', input_format_skip_unknown_fields = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS gatepost.clicks_unread_from_topic TO gatepost.clicks_unread AS
SELECT _partition AS partition, _offset AS offset, _error AS error, _raw_message AS message
FROM gatepost.click_topic
WHERE _error != '';

CREATE MATERIALIZED VIEW IF NOT EXISTS gatepost.clicks_from_topic TO gatepost.clicks AS
SELECT
  code,
  timestamp,
  -- The id of the event (CloudEvents, ce_id); for a message of another producer, its place in the topic.
  ifNull(
    toUUIDOrNull(_headers.value[indexOf(_headers.name, 'ce_id')]),
    reinterpretAsUUID(MD5(concat(_topic, '/', toString(_partition), '/', toString(_offset))))
  ) AS id,
  multiIf(
    isIPv4String(ip), toString(IPv4CIDRToRange(toIPv4(ip), 24).1),
    isIPv6String(ip), toString(IPv6CIDRToRange(toIPv6(ip), 48).1),
    ''
  ) AS network,
  domain(ifNull(referrer, '')) AS referrer_host,
  ifNull(userAgent, '') AS user_agent
FROM gatepost.click_topic
WHERE _error = '';

-- Clicks and visitors of each link, hour by hour.
CREATE VIEW IF NOT EXISTS gatepost.clicks_by_hour AS
SELECT
  code,
  toStartOfHour(timestamp) AS hour,
  count() AS clicks,
  uniq(network, user_agent) AS visitors
FROM gatepost.clicks FINAL
GROUP BY code, hour;
