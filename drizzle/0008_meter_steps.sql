-- The types between the steps of the meter, and one index less (`functions/charge.sql`, `functions/credits.sql`).

-- What is on record about one call's person and idempotency key, at the moment at which the call is decided.
create type meter_facts as (
  person_exists boolean,
  has_channels boolean,          -- whether the person of a reveal has a private channel
  contact json,                  -- the person of a reveal, as the answer shows them
  was_revealed boolean,
  first_charged_at timestamptz,  -- when the call was charged that bound the idempotency key
  repeats integer,
  is_repeat boolean              -- whether path and query are those of that call
);
--> statement-breakpoint
-- What was decided about one call.
create type meter_decision as (
  outcome text, charged integer, required integer, balance double precision, tier text,
  rate_limit integer, rate_remaining integer, rate_reset_ms double precision, reveal_reset_ms double precision,
  unlocks uuid,                  -- the contact that the call reveals for the first time
  unlock_count integer           -- how many contacts the account had unlocked before
);
--> statement-breakpoint
DROP INDEX "ledger_time";
