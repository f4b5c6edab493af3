-- Counts one attempt against all subjects or, when one of them has to wait, against none: 0, or the milliseconds to wait.
-- The rows are locked in the order they are given in before anything is decided, so attempts sent at once queue up here.
-- It is `takeAttempt` of accounts/attempts.ts in one round trip; a spec holds the two equal.
-- first_wait_ms 0 means: wait for the rest of the window. `at` is for specs; otherwise the clock of this server counts.
CREATE FUNCTION auth_take_attempt(
  subjects bytea[],
  failures_allowed integer[],
  memory_ms integer[],
  first_wait_ms integer[],
  longest_wait_ms integer[],
  at timestamptz
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz;
  waits interval;
BEGIN
  INSERT INTO sign_in_attempts (subject) SELECT unnest(subjects)
    ON CONFLICT (subject) DO UPDATE SET subject = EXCLUDED.subject;
  moment := date_trunc('milliseconds', COALESCE(at, clock_timestamp()));

  SELECT max(a.blocked_until - moment) INTO waits
    FROM sign_in_attempts a
    JOIN unnest(subjects, memory_ms, first_wait_ms) AS rule (subject, memory, first) ON rule.subject = a.subject
    WHERE moment - CASE WHEN rule.first = 0 THEN a.window_start ELSE a.updated_at END
      < rule.memory * interval '1 millisecond';
  IF waits > interval '0' THEN
    RETURN ceil(extract(epoch FROM waits) * 1000);
  END IF;

  UPDATE sign_in_attempts a SET
      failures = next.failures,
      window_start = next.window_start,
      updated_at = moment,
      blocked_until = CASE
        WHEN next.failures < rule.allowed THEN NULL
        WHEN rule.first = 0 THEN next.window_start + rule.memory * interval '1 millisecond'
        ELSE moment + least(rule.longest, rule.first * power(2, least(next.failures - rule.allowed, 30))) * interval '1 millisecond'
      END
    FROM unnest(subjects, failures_allowed, memory_ms, first_wait_ms, longest_wait_ms)
        AS rule (subject, allowed, memory, first, longest)
      JOIN sign_in_attempts old ON old.subject = rule.subject
      CROSS JOIN LATERAL (
        SELECT old.failures = 0 OR moment - CASE WHEN rule.first = 0 THEN old.window_start ELSE old.updated_at END
          >= rule.memory * interval '1 millisecond' AS forgotten
      ) AS age
      CROSS JOIN LATERAL (
        SELECT CASE WHEN age.forgotten THEN 1 ELSE old.failures + 1 END AS failures,
          CASE WHEN age.forgotten THEN moment ELSE old.window_start END AS window_start
      ) AS next
    WHERE a.subject = rule.subject;
  RETURN 0;
END $$;

-- After a right password: `own` starts anew, `address` has one failure less. One after the other in the order of above.
CREATE FUNCTION auth_settle_attempt(own bytea, address bytea, address_allowed integer)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF address IS NULL OR own < address THEN
    DELETE FROM sign_in_attempts WHERE subject = own;
  END IF;
  UPDATE sign_in_attempts SET failures = GREATEST(failures - 1, 0),
      blocked_until = CASE WHEN failures - 1 < address_allowed THEN NULL ELSE blocked_until END
    WHERE subject = address;
  IF own >= address THEN
    DELETE FROM sign_in_attempts WHERE subject = own;
  END IF;
END $$;
