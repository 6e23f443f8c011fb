-- The types in which the program sends calls and rules to the meter (`functions/money/charge.sql`).

-- Charges update the same few rows over and over: room on the page keeps those updates in place.
alter table accounts set (fillfactor = 50);

--> statement-breakpoint
-- One call, as `src/money/charge/transport.ts` writes it.
create type meter_call as (
  account uuid,          -- the key's account
  key uuid,
  price integer,         -- credits of the call, 0 for one that is free
  reveal_price integer,  -- credits if it turns out to be a first reveal
  refusal text,          -- gate 5 or 6 has failed: 'parameters' or 'scope'; else null
  record_exists boolean, -- gate 8, as far as the caller knows
  person uuid,           -- the one contact that is read, if one is: gate 8 looks it up, and its unlock sets the price
  reveal boolean,        -- include=private was asked
  contacts text,         -- ids of the contacts in the answer, with a space between
  channels boolean,      -- whether the answer shows the channels of those that the account has unlocked
  identity boolean,      -- whether the answer names the account (/v1/me)
  idempotency_key text,
  fingerprint text,      -- of path and query, beside an idempotency_key
  request_id text,
  endpoint text
);

--> statement-breakpoint
-- Limits of a tier, as `src/contract/tiers.ts` has it.
create type meter_rule as (
  tier text,
  rate_limit integer, rate_window interval,
  reveal_limit integer, reveal_window interval,
  sampled boolean,       -- a sample, not a 402, when the balance is below the price
  unlimited boolean      -- no credit ceiling
);
